// What is seldom said of a trigger, folded away until somebody wants it or something of it is set.
import { Icon } from "../../components/icon.js";
import { Field, MomentField } from "../../components/forms/field.js";
import { WINDOW, hasWindow, moreOf } from "../../lib/trigger_more.js";
import { html, toggled, typed, useState } from "../../ui.js";
import { Choice } from "./edit_fields.js";
import { OVERLAP } from "./choices.js";

/** @param {import("./edit_fields.js").Fields} fields */
export function MoreFields(fields) {
  const { form, set, problems, definition } = fields;
  const settings = moreOf(form.kind);
  const names = [...settings.map((one) => one.name), ...(hasWindow(form.kind) ? WINDOW.map(([name]) => name) : [])];
  const [open, setOpen] = useState(names.some((name) => form[name] !== ""));
  // What is to be mended is never hidden.
  const shown = open || names.some((name) => problems[name]);
  return html`<details class="more" open=${shown} onToggle=${toggled(setOpen)}>
    <summary><${Icon} name="down" />More settings</summary>
    <div class="more-fields">
      ${hasWindow(form.kind) && WINDOW.map(([name, label]) => html`<${MomentField} key=${name} label=${label}
        value=${form[name]} set=${set(name)} tz=${form.timezone} problem=${problems[name]} />`)}
      ${form.kind === "init" && html`<${Choice} ...${fields} name="overlap" label="If the last is still running" options=${OVERLAP} />`}
      ${settings.map((one) => html`<${Field} key=${one.name} label=${one.label} hint=${one.help} problem=${problems[one.name]}>${(
        /** @type {Attributes} */ attributes,
      ) => html`<input ...${attributes} value=${form[one.name]} placeholder=${usualOf(one, definition)} autocomplete="off"
        spellcheck=${false} onInput=${typed(set(one.name))} />`}</${Field}>`)}
    </div>
  </details>`;
}

/** What holds when nothing is said. @param {import("../../lib/trigger_more.js").More} setting @param {Api.DefinitionAnswer | undefined} definition */
function usualOf({ name, none }, definition) {
  if (!definition || none !== "the definition's") return none;
  return `${definition[/** @type {"queue" | "priority" | "max_attempts"} */ (name)]}, as ${definition.key} has it`;
}
