// A form made from a JSON Schema. What has no field of its own is written as JSON.
import { MASKED } from "../../lib/schema.js";
import { html, ticked, typed } from "../../ui.js";
import { Field, Select } from "./field.js";

/** @typedef {import("../../lib/schema.js").FieldOf} FieldOf */
/** @typedef {import("../../lib/schema.js").Values} Values */
/**
 * @param {object} props
 * @param {FieldOf[]} props.fields
 * @param {Values} props.values
 * @param {(values: Values) => void} props.change
 * @param {Record<string, string>} props.problems by path
 * @param {string} [props.path]
 */
export function SchemaForm({ fields, values, change, problems, path = "" }) {
  if (fields.length === 0 && path === "") return html`<p class="quiet">This definition takes no arguments.</p>`;
  return fields.map((field) => {
    const at = path + field.name;
    const set = (/** @type {Values[string]} */ value) => change({ ...values, [field.name]: value });
    if (field.kind === "object") {
      return html`<fieldset class="field" key=${at}><legend>${field.label}</legend>
        <div class="fields"><${SchemaForm} fields=${field.fields ?? []} values=${values[field.name] ?? {}}
          change=${set} problems=${problems} path=${`${at}.`} /></div>
      </fieldset>`;
    }
    return html`<${One} key=${at} field=${field} value=${values[field.name]} set=${set} problem=${problems[at]} />`;
  });
}

/** @param {{field: FieldOf, value: Values[string], set: (value: string | boolean) => void, problem?: string}} props */
function One({ field, value, set, problem }) {
  const label = html`${field.label}${field.required && html`<span class="quiet"> · needed</span>`}`;
  const onInput = typed(set);
  if (field.kind === "boolean") {
    return html`<label class="field field-check"><input type="checkbox" checked=${value}
      onChange=${ticked(set)} /><span>${field.label}</span>
      ${field.hint && html`<span class="field-note">${field.hint}</span>`}</label>`;
  }
  const hint = value === MASKED ? "Masked. The value stays unless you write another one." : field.hint;
  return html`<${Field} label=${label} hint=${hint} problem=${problem}>${(
    /** @type {Attributes} */ attributes,
  ) => {
    if (field.kind === "choice") {
      const options = (field.choices ?? []).map((choice) => [JSON.stringify(choice), String(choice)]);
      return html`<${Select} attributes=${attributes} value=${value} choose=${set}
        options=${[["", field.required ? "Choose" : "None"], ...options]} />`;
    }
    if (field.kind === "json" || field.kind === "long")
      return html`<textarea ...${attributes} rows="4" spellcheck=${false} value=${value} onInput=${onInput}
        placeholder=${field.kind === "json" ? "JSON" : undefined} />`;
    const type = field.kind === "secret" ? "password" : "text";
    return html`<input ...${attributes} type=${type} value=${value} onInput=${onInput}
      autocomplete=${type === "password" ? "new-password" : "off"}
      inputmode=${field.kind === "number" || field.kind === "integer" ? "decimal" : undefined} />`;
  }}</${Field}>`;
}
