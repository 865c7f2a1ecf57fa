// The parameters of a rule's kind. Names are suggested from what there is.
import { api } from "../../api.js";
import { Field } from "../../components/forms/field.js";
import { parametersOf } from "../../lib/alert_form.js";
import { useResource } from "../../resource.js";
import { html, typed } from "../../ui.js";

/** @param {import("./rule_dialog.js").Fields} props */
export function Parameters({ known, form, put, problems }) {
  const parameters = parametersOf(known, form.kind);
  // A text is the name of what the rule is about: a definition, a queue or a trigger.
  const names = useNames(parameters.find((one) => one.kind === "text")?.name ?? "");
  return html`<div class="more-fields">${parameters.map((one) => html`<${Field} key=${one.name} label=${one.label}
    hint=${one.help} problem=${problems[`parameters.${one.name}`]}>${(/** @type {Attributes} */ attributes) => html`
      <input ...${attributes} value=${form.parameters[one.name] ?? ""} placeholder=${one.none} autocomplete="off" spellcheck=${false}
        list=${one.kind === "text" && `${attributes.id}-names`}
        onInput=${typed((text) => put({ parameters: { ...form.parameters, [one.name]: text } }))} />
      ${one.kind === "text" && html`<datalist id=${`${attributes.id}-names`}>${names.map((name) => html`<option key=${name} value=${name} />`)}
        </datalist>`}`}</${Field}>`)}</div>`;
}

/** Definitions, queues or triggers by name; none while they are not known. @param {string} noun @returns {string[]} */
function useNames(noun) {
  const path = noun === "trigger" ? "/jobs/triggers" : "/definitions";
  const resource = useResource(`names of ${path}`, (signal) => api.get(path, { limit: 500 }, signal));
  const nameOf = (/** @type {Api.TriggerAnswer | Api.DefinitionAnswer} */ item) =>
    "name" in item ? item.name : noun === "queue" ? item.queue : item.key;
  return [...new Set((resource.data?.items ?? []).map(nameOf))].sort();
}
