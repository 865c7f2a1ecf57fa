// A trigger made or changed. What it will do stands beside the form; it is saved when all is well.
import { Refused, api } from "../../api.js";
import { useDebounced } from "../../debounced.js";
import { Dialog } from "../../components/forms/dialog.js";
import { Field, Select } from "../../components/forms/field.js";
import { Segmented } from "../../components/forms/segmented.js";
import { loaded } from "../../components/states.js";
import { say } from "../../components/shell/toast.js";
import { plural } from "../../lib/format.js";
import { ownZone } from "../../lib/in_zone.js";
import { FORM_FIELDS, changesOf, formOf, readForm, readObject } from "../../lib/trigger_form.js";
import { moreOf, withoutDefaults } from "../../lib/trigger_more.js";
import { useResource } from "../../resource.js";
import { href } from "../../router.js";
import { html, typed, useState } from "../../ui.js";
import { Aside } from "./edit_aside.js";
import { EventFields, InitFields, ScheduleFields } from "./edit_fields.js";
import { MoreFields } from "./more_fields.js";

/** @typedef {import("../../lib/trigger_form.js").Form} Form */
/** @typedef {import("../../lib/trigger_form.js").Rule} Rule */

/** @type {[string, string][]} */
const KINDS = [
  ["cron", "Cron"],
  ["every", "Every"],
  ["event", "Event"],
  ["init", "Once"],
];

/** @param {{trigger?: Api.TriggerAnswer, definition?: string, close: () => void, saved: () => void}} props */
export function EditDialog({ trigger, definition = "", close, saved }) {
  const known = useResource("to trigger", async (signal) => {
    const [definitions, settings] = await Promise.all([
      api.get("/definitions", { limit: 500 }, signal),
      api.get("/settings/trigger", {}, signal),
    ]);
    return { definitions: definitions.items, settings: settings.items };
  });
  return html`${loaded(known, { what: "What may be run" }, (data) =>
    html`<${Editor} trigger=${trigger} definition=${definition} definitions=${data.definitions} settings=${data.settings}
      close=${close} saved=${saved} />`)}`;
}

/**
 * @typedef {object} EditorProps
 * @property {Api.TriggerAnswer} [trigger]
 * @property {string} definition
 * @property {Api.DefinitionAnswer[]} definitions
 * @property {import("../../lib/trigger_more.js").Settings} settings
 * @property {() => void} close
 * @property {() => void} saved
 */
/** @param {EditorProps} props */
function Editor({ trigger, definition, definitions, settings, close, saved }) {
  const [form, setForm] = useState(() =>
    formOf(settings, trigger, { definition: definition || definitions[0]?.key || "", timezone: ownZone() }),
  );
  const [touched, setTouched] = useState(/** @type {string[]} */ ([]));
  const [refused, setRefused] = useState(/** @type {Record<string, string>} */ ({}));
  const [busy, setBusy] = useState(false);
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => {
    setForm((before) => ({ ...before, [name]: value }));
    setTouched((before) => [...before, name]);
    setRefused({});
  };
  const { body, problems: written } = readForm(settings, form, trigger);
  const preview = usePreview(form, body, written);
  const rendered = useRendered(form, body, written);
  const asked = preview.error instanceof Refused ? byField(preview.error) : {};
  const all = { ...written, ...asked, ...refused };
  // A name that nobody has begun to write is not wrong yet.
  const shown = Object.fromEntries(
    Object.entries(all).filter(([at]) => (at !== "name" && at !== "event") || touched.includes(at) || at in refused),
  );
  const save = async () => {
    setTouched(Object.keys(form));
    if (Object.keys(all).length) return;
    setBusy(true);
    try {
      if (trigger) await update(trigger, body);
      else await create({ name: form.name.trim(), definition: form.definition, ...withoutDefaults(settings, body) });
      close();
      saved();
    } catch (error) {
      setBusy(false);
      setRefused(error instanceof Refused ? byField(error) : { "": /** @type {Error} */ (error).message });
    }
  };
  const fields = { form, set, problems: shown, definition: definitions.find((one) => one.key === form.definition) };
  const wrong = Object.keys(shown).filter(Boolean).length;
  return html`<${Dialog} wide title=${trigger ? `Edit trigger ${trigger.name}` : "New trigger"} close=${close} onSubmit=${save}
    foot=${html`
      <p class="is-bad field-note" role="status">${shown[""] ?? (wrong > 0 ? `${plural(wrong, "field")} to mend` : "")}</p>
      <button class="button" type="button" onClick=${close}>Cancel</button>
      <button class="button button-primary" type="submit" aria-busy=${busy}
        disabled=${busy || wrong > 0}>${trigger ? "Save" : "Create trigger"}</button>`}>
    <div class="editor">
      <div class="fields">
        <${Identity} ...${fields} definitions=${definitions} made=${trigger !== undefined} />
        <div class="field"><span class="label">Fires</span><${Segmented} class="segmented-wide" label="Fires" options=${KINDS}
          value=${form.kind} choose=${set("kind")} /></div>
        ${(form.kind === "cron" || form.kind === "every") && html`<${ScheduleFields} ...${fields}
          words=${preview.error ? undefined : preview.answer?.words} />`}
        ${form.kind === "event" && html`<${EventFields} ...${fields} />`}
        ${form.kind === "init" && html`<${InitFields} ...${fields} />`}
        <${MoreFields} fields=${fields} settings=${moreOf(settings, form.kind)} />
      </div>
      <${Aside} form=${form} set=${set} problems=${shown} preview=${preview} rendered=${rendered} />
    </div>
  </${Dialog}>`;
}

/** @param {import("./edit_fields.js").Fields & {definitions: Api.DefinitionAnswer[], made: boolean}} props */
function Identity({ form, set, problems, definitions, made, definition }) {
  return html`<div class="field-row">
    <${Field} label="Name" problem=${problems.name}>${(/** @type {Attributes} */ attributes) =>
      html`<input ...${attributes} value=${form.name} disabled=${made} autocomplete="off" maxLength="200"
        onInput=${typed(set("name"))} />`}</${Field}>
    <${Field} label="Definition" hint=${definition?.description || undefined} problem=${problems.definition}>${(
      /** @type {Attributes} */ attributes,
    ) =>
      html`<${Select} attributes=${{ ...attributes, disabled: made }} value=${form.definition}
        choose=${set("definition")}
        options=${[...new Set([...definitions.map(({ key }) => key), form.definition])].map((key) => [key, key])} />`}
    </${Field}>
  </div>`;
}

/** @param {Api.TriggerAnswer} trigger @param {Rule} body */
const update = (trigger, body) =>
  api.patch("/jobs/triggers/{trigger_id}", { trigger_id: trigger.id }, changesOf(body, trigger));

/** @param {Api.NewTrigger} body */
async function create(body) {
  const made = await api.post("/jobs/triggers", {}, body);
  say(`Created ${made.name}.`, { href: href(`/triggers/${made.id}`), go: "Open" });
}

/** When it would be due, a moment after the rule was last changed. @param {Form} form @param {Rule} body @param {Record<string, string>} written */
function usePreview(form, body, written) {
  const { cron, every_seconds, timezone, starts_at, ends_at } = body;
  const rule = { cron, every_seconds, timezone, starts_at, ends_at, count: 10 };
  const timed = body.trigger_type === "schedule" && !written.every;
  return useDebounced(timed ? JSON.stringify(rule) : "", (signal) => api.get("/jobs/triggers/preview", rule, signal));
}

/** What the template would make of the sample. @param {Form} form @param {Rule} body @param {Record<string, string>} written */
function useRendered(form, body, written) {
  const test = {
    payload: body.payload ?? {},
    event: form.event || "sample",
    data: readObject(form.sample).value ?? {},
    condition: body.condition,
    definition: form.definition || null,
  };
  const ready = form.kind === "event" && !written.payload && !written.sample;
  return useDebounced(ready ? JSON.stringify(test) : "", () => api.post("/jobs/triggers/test-render", {}, test));
}

/** By the form's own fields; what belongs to none stands under "". @param {Refused} error */
function byField(error) {
  const problems = Object.entries(error.fields).map(([at, message]) => {
    const name = at.split(".")[0];
    return [FORM_FIELDS[name] ?? name, message];
  });
  return problems.length ? Object.fromEntries(problems) : { "": error.message };
}
