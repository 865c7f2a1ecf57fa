// The fields of each kind of trigger.
import { Field, Select } from "../../components/forms/field.js";
import { Icon } from "../../components/icon.js";
import { allZones } from "../../lib/in_zone.js";
import { plainWords } from "../../lib/triggers.js";
import { html, typed } from "../../ui.js";
import { CATCH_UP, CRON_FIELDS, OVERLAP, PRESETS } from "./choices.js";

/** @typedef {{form: import("../../lib/trigger_form.js").Form, set: (name: string) => (value: string) => void, problems: Record<string, string>, definition?: Api.DefinitionAnswer}} Fields */

/** @param {Fields & {name: string, label: string, hint?: string, placeholder?: string}} props */
function Line({ form, set, problems, name, label, hint, placeholder }) {
  return html`<${Field} label=${label} hint=${hint} problem=${problems[name]}>${(/** @type {Attributes} */ attributes) =>
    html`<input ...${attributes} value=${form[name]} onInput=${typed(set(name))} placeholder=${placeholder}
      autocomplete="off" spellcheck=${false} />`}</${Field}>`;
}

/** @param {Fields & {name: string, label: string, options: [string, string][]}} props */
export function Choice({ form, set, problems, name, label, options }) {
  return html`<${Field} label=${label} hint=${`${name}: ${form[name]}`} problem=${problems[name]}>${(
    /** @type {Attributes} */ attributes,
  ) => html`<${Select} attributes=${attributes} value=${form[name]} options=${options} choose=${set(name)} />`}</${Field}>`;
}

/** @param {Fields & {name: string, label: string, hint?: string, rows?: number}} props */
export function Json({ form, set, problems, name, label, hint, rows = 4 }) {
  return html`<${Field} label=${label} hint=${hint} problem=${problems[name]}>${(/** @type {Attributes} */ attributes) =>
    html`<textarea ...${attributes} rows=${rows} value=${form[name]} onInput=${typed(set(name))} spellcheck=${false} />`}
  </${Field}>`;
}

/** @param {Fields & {words?: string}} props */
export function ScheduleFields({ words, ...fields }) {
  const { form, set, problems } = fields;
  const zones = allZones();
  const names = zones.includes(form.timezone) ? zones : [form.timezone, ...zones];
  return html`
    ${form.kind === "cron" ? html`<${Cron} ...${fields} words=${words} />` : html`<${Line} ...${fields} name="every"
      label="Every" hint=${words ?? "For example 30s, 5m or 6h; changes of clocks have no effect."} />`}
    <div class="field-row">
      <${Field} label="Time zone" problem=${problems.timezone}>${(/** @type {Attributes} */ attributes) =>
        html`<${Select} attributes=${attributes} value=${form.timezone} choose=${set("timezone")}
          options=${names.map((name) => [name, name])} />`}</${Field}>
      <${Line} ...${fields} name="jitter" label="Jitter" placeholder="not at all" />
    </div>
    <div class="field-row">
      <${Choice} ...${fields} name="catch_up" label="Catch-up" options=${CATCH_UP} />
      <${Choice} ...${fields} name="overlap" label="Overlap" options=${OVERLAP} />
    </div>
    <${Json} ...${fields} name="payload" label="Payload" rows=${3} hint="JSON; {{scheduled_for}} is the due time." />`;
}

/** Five fields, or one line where the expression has another shape. @param {Fields & {words?: string}} props */
function Cron({ form, set, problems, words }) {
  const parts = form.cron.split(" ");
  const problem = problems.cron;
  const change = (/** @type {number} */ at, /** @type {string} */ text) => {
    // A whole expression that is pasted into one field fills them all.
    const pasted = text.trim().split(/\s+/);
    if (pasted.length === CRON_FIELDS.length) return set("cron")(pasted.join(" "));
    set("cron")(parts.map((part, i) => (i === at ? text.replaceAll(" ", "") : part)).join(" "));
  };
  const verdict = problem
    ? html`<${Icon} name="failed" class="is-bad" /><span class="is-bad">${problem}</span>`
    : words && html`<${Icon} name="succeeded" class="is-ok" /><span><span class="strong">${plainWords(words)}</span> <code
      class="quiet">${form.cron}</code></span>`;
  const isNamed = (/** @type {string} */ name) => problem?.startsWith(`The ${name} `);
  const attributes = (/** @type {string} */ name) => ({
    class: "input",
    name,
    "aria-invalid": problem && (!CRON_FIELDS.some(isNamed) || isNamed(name)) ? "true" : undefined,
    "aria-describedby": "cron-words",
    autocomplete: "off",
    spellcheck: false,
  });
  return html`<div class="field">
    <div class="presets"><span class="label" id="cron-label">Schedule</span>${PRESETS.map(([name, text]) => html`<button
      key=${name} type="button" aria-pressed=${form.cron === text} onClick=${() => set("cron")(text)}>${name}
      </button>`)}</div>
    ${
      parts.length === CRON_FIELDS.length
        ? html`<div class="cron-fields" role="group" aria-labelledby="cron-label">${CRON_FIELDS.map((name, i) => html`<label
            key=${name}>${name}<input ...${attributes(name)} value=${parts[i]}
            onInput=${typed((text) => change(i, text))} /></label>`)}</div>`
        : html`<input ...${attributes("expression")} aria-label="Expression" value=${form.cron}
            onInput=${typed(set("cron"))} />`
    }
    <p class="cron-words" id="cron-words" role="status">${verdict || "\u00a0"}</p>
  </div>`;
}

/** @param {Fields} fields */
export function EventFields(fields) {
  const names = Object.keys(fields.definition?.payload_schema?.properties ?? {});
  return html`
    <div class="field-row">
      <${Line} ...${fields} name="event" label="Event" placeholder="provider.folder.updated"
        hint="The last word may be *." />
      <${Line} ...${fields} name="condition" label="Condition" placeholder="every event" hint="For example event.size > \`100\`" />
    </div>
    <${Json} ...${fields} name="payload" label="Payload" rows=${6} hint=${`{{event.…}} is data of the event.${names.length ? ` It takes ${names.join(", ")}.` : ""}`} />
    <${Line} ...${fields} name="dedupe_window_seconds" label="Dedupe window" placeholder="no matter how often" />`;
}

/** @param {Fields} fields */
export function InitFields(fields) {
  return html`<${Line} ...${fields} name="init_version" label="Version" hint="The trigger fires once for each version: change the version to fire again." />
    <${Json} ...${fields} name="payload" label="Payload" rows=${4} />`;
}
