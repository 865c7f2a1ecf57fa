// Settings of one group, edited where they stand.
import { Refused, api } from "../../api.js";
import { Field } from "../../components/forms/field.js";
import { Panel } from "../../components/panel.js";
import { say } from "../../components/shell/toast.js";
import { matters, readSetting, showSetting, valueOf, writeSetting } from "../../lib/settings.js";
import { may } from "../../session.js";
import { html, ticked, typed, useState } from "../../ui.js";

/** @typedef {import("../../lib/settings.js").Setting} Setting */
/** @typedef {import("./actions.js").Definition} Definition */

/** @param {{title: string, settings: Setting[], definition: Definition, show: (changed: Partial<Api.InspectedDefinition>) => void}} props */
export function Settings({ title, settings, definition, show }) {
  const [editing, setEditing] = useState(false);
  if (editing)
    return html`<${Form} title=${title} settings=${settings} definition=${definition} show=${show}
      close=${() => setEditing(false)} />`;
  const edit = may("definitions.update") && html`<button class="button button-plain button-small push" type="button"
    aria-label=${`Edit ${title.toLowerCase()}`} onClick=${() => setEditing(true)}>Edit</button>`;
  return html`<${Panel} title=${title} head=${edit}>
    <dl class="facts ruled">${settings.filter((one) => matters(one, definition)).map((setting) => html`<dt key=${setting.name}>${setting.label}</dt><dd
      class=${setting.kind === "list" ? "facts-wrap" : undefined}>
      ${showSetting(setting, valueOf(definition, setting.name))}<${Changed} setting=${setting} override=${definition.overrides?.[setting.name]} />
      </dd>`)}</dl>
  </${Panel}>`;
}

/** @param {{setting: Setting, override?: Api.Override}} props */
function Changed({ setting, override }) {
  if (!override) return null;
  return html` <span class="tag" title="Changed by an operator">code says ${showSetting(setting, override.declared)}</span>`;
}

/** What its field holds before anybody writes. @param {Setting} setting @param {unknown} value */
const atFirst = (setting, value) => (setting.kind === "flag" ? value === true : writeSetting(setting, value));

/** @param {{title: string, settings: Setting[], definition: Definition, show: (changed: Partial<Api.InspectedDefinition>) => void, close: () => void}} props */
function Form({ title, settings, definition, show, close }) {
  const [values, setValues] = useState(() =>
    Object.fromEntries(settings.map((setting) => [setting.name, atFirst(setting, valueOf(definition, setting.name))])),
  );
  const [refused, setRefused] = useState(/** @type {Record<string, string>} */ ({}));
  const [busy, setBusy] = useState(false);
  const read = settings.map((one) => /** @type {const} */ ([one.name, readSetting(one, values[one.name])]));
  const problems = { ...Object.fromEntries(read.map(([name, { problem }]) => [name, problem])), ...refused };
  const wrong = read.some(([, { problem }]) => problem);
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const changes = Object.fromEntries(
      read.filter(([name, { value }]) => JSON.stringify(value) !== JSON.stringify(valueOf(definition, name))).map(([name, { value }]) => [name, value]),
    );
    if (Object.keys(changes).length === 0) return close();
    setBusy(true);
    try {
      show(await api.patch("/admin/jobs/definitions/{key}", { key: definition.key }, changes));
      say("Saved. The settings apply from now on, in every worker.");
      close();
    } catch (error) {
      setBusy(false);
      // What is wrong with one of a list ("tenants.1") stands below the list.
      const named = Object.entries(error instanceof Refused ? error.fields : {}).map(([at, said]) => [at.split(".")[0], said]);
      setRefused(named.length ? Object.fromEntries(named) : { "": /** @type {Error} */ (error).message });
    }
  };
  const set = (/** @type {string} */ name, /** @type {string | boolean} */ value) => {
    setRefused({});
    setValues((before) => ({ ...before, [name]: value }));
  };
  return html`<${Panel} title=${title}><form class="ruled" noValidate onSubmit=${save}>
    <div class="fields fields-tight">${settings.map((one) => html`<${Input} key=${one.name} setting=${one} value=${values[one.name]}
      set=${(/** @type {string | boolean} */ value) => set(one.name, value)} problem=${problems[one.name]} />`)}</div>
    <footer class="panel-foot">
      ${refused[""] && html`<span class="is-bad" role="alert">${refused[""]}</span>`}
      <span class="push actions"><button class="button button-small" type="button" onClick=${close}>Cancel</button>
        <button class="button button-small button-primary" type="submit" disabled=${busy || wrong} aria-busy=${busy}>Save
          </button></span>
    </footer>
  </form></${Panel}>`;
}

/** @param {{setting: Setting, value: string | boolean, set: (value: string | boolean) => void, problem?: string}} props */
function Input({ setting, value, set, problem }) {
  if (setting.kind === "flag")
    return html`<label class="field field-check"><input type="checkbox" checked=${value}
      onChange=${ticked(set)} /><span>${setting.label}</span></label>`;
  return html`<${Field} label=${setting.label} hint=${setting.help} problem=${problem}>${(/** @type {Attributes} */ attributes) =>
    html`<input ...${attributes} value=${value} placeholder=${setting.none ?? ""} autocomplete="off" spellcheck=${false}
      onInput=${typed(set)} />`}</${Field}>`;
}
