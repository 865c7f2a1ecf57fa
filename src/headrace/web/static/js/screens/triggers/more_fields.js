// What is seldom said of a trigger, folded away until somebody wants it or something of it is set.
import { Icon } from "../../components/icon.js";
import { Field, MomentField } from "../../components/forms/field.js";
import { showSetting } from "../../lib/settings.js";
import { html, toggled, typed, useState } from "../../ui.js";
import { Choice } from "./edit_fields.js";
import { OVERLAP } from "./choices.js";

/** @typedef {import("../../lib/trigger_more.js").Setting} Setting */

/** @param {{fields: import("./edit_fields.js").Fields, settings: Setting[]}} props */
export function MoreFields({ fields, settings }) {
  const { form, set, problems, definition } = fields;
  const names = settings.map(({ name }) => name);
  const [open, setOpen] = useState(names.some((name) => form[name] !== ""));
  // What is to be mended is never hidden.
  const shown = open || names.some((name) => problems[name]);
  return html`<details class="more" open=${shown} onToggle=${toggled(setOpen)}>
    <summary><${Icon} name="down" />More settings</summary>
    <div class="more-fields">
      ${form.kind === "init" && html`<${Choice} ...${fields} name="overlap" label="Overlap" options=${OVERLAP} />`}
      ${settings.map((setting) => html`<${FurtherField} key=${setting.name} setting=${setting} value=${form[setting.name]}
        usual=${usualOf(setting, definition)} set=${set(setting.name)} tz=${form.timezone} problem=${problems[setting.name]} />`)}
    </div>
  </details>`;
}

/** @param {{setting: Setting, value: string, usual: string, set: (value: string) => void, tz: string, problem?: string}} props */
function FurtherField({ setting, value, usual, set, tz, problem }) {
  if (setting.kind === "moment")
    return html`<${MomentField} label=${setting.label} value=${value} set=${set} tz=${tz} problem=${problem} />`;
  return html`<${Field} label=${setting.label} hint=${setting.help} problem=${problem}>${(/** @type {Attributes} */ attributes) =>
    html`<input ...${attributes} value=${value} placeholder=${usual} autocomplete="off" spellcheck=${false}
      onInput=${typed(set)} />`}</${Field}>`;
}

/** What holds when nothing is said. @param {Setting} setting @param {Api.DefinitionAnswer | undefined} definition */
function usualOf(setting, definition) {
  const { name, none } = setting;
  if (!definition || none !== "the definition's") return none ?? showSetting(setting, setting.default);
  return `${definition[/** @type {"queue" | "priority" | "max_attempts"} */ (name)]}, as ${definition.key} has it`;
}
