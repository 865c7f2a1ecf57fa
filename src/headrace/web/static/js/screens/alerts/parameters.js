// The parameters of a rule's kind. Names are suggested from what there is.
import { api } from "../../api.js";
import { Field } from "../../components/forms/field.js";
import { parametersOf } from "../../lib/alert_form.js";
import { useResource } from "../../resource.js";
import { html } from "../../ui.js";

/** @param {import("./rule_dialog.js").Fields} props */
export function Parameters({ known, form, put, problems }) {
  const parameters = parametersOf(known, form.kind);
  // A text is the name of what the rule is about: a definition, a queue or a trigger.
  const names = useNames(parameters.find((one) => one.kind === "text")?.name ?? "");
  return html`<div class="more-fields">${parameters.map((one) => html`<${Field} key=${one.name} label=${one.label}
    hint=${one.help} problem=${problems[`parameters.${one.name}`]}>${(/** @type {any} */ attributes) => html`
      <input ...${attributes} value=${form.parameters[one.name] ?? ""} placeholder=${one.none} autocomplete="off" spellcheck=${false}
        list=${one.kind === "text" && `${attributes.id}-names`}
        onInput=${(/** @type {any} */ event) => put({ parameters: { ...form.parameters, [one.name]: event.target.value } })} />
      ${one.kind === "text" && html`<datalist id=${`${attributes.id}-names`}>${names.map((name) => html`<option key=${name} value=${name} />`)}
        </datalist>`}`}</${Field}>`)}</div>`;
}

/** Definitions, queues or triggers by name; none while they are not known. @param {string} many @returns {string[]} */
function useNames(many) {
  const path = many === "trigger" ? "/jobs/triggers" : "/definitions";
  const found = useResource(`names of ${path}`, (signal) => api.get(path, { limit: 500 }, signal));
  const field = { trigger: "name", queue: "queue" }[many] ?? "key";
  return [...new Set((found.data?.items ?? []).map((/** @type {any} */ one) => one[field]))].map(String).sort();
}
