// A trigger made or changed. What it will do stands beside the form; it is saved when all is well.
import { Refused, api } from "../../api.js";
import { useDebounced } from "../../debounced.js";
import { Dialog } from "../../components/forms/dialog.js";
import { Field, Select } from "../../components/forms/field.js";
import { Segmented } from "../../components/forms/segmented.js";
import { Loaded } from "../../components/states.js";
import { say } from "../../components/shell/toast.js";
import { plural } from "../../lib/format.js";
import { ownZone } from "../../lib/in_zone.js";
import { FORM_FIELDS, changesOf, formOf, readForm, readObject } from "../../lib/trigger_form.js";
import { saidOf } from "../../lib/trigger_more.js";
import { useResource } from "../../resource.js";
import { href } from "../../router.js";
import { html, useState } from "../../ui.js";
import { pathOf } from "./change.js";
import { Aside } from "./edit_aside.js";
import { EventFields, InitFields, ScheduleFields } from "./edit_fields.js";
import { MoreFields } from "./more_fields.js";

/** @type {[string, string][]} */
const KINDS = [
  ["cron", "Cron"],
  ["interval", "Interval"],
  ["event", "Event"],
  ["init", "Once"],
];

/** @param {{trigger?: any, definition?: string, close: () => void, saved: () => void}} props */
export function EditDialog({ trigger, definition = "", close, saved }) {
  const definitions = useResource("to trigger", (signal) => api.get("/definitions", { limit: 500 }, signal));
  return html`<${Loaded} of=${definitions} what="What may be run">${(/** @type {any} */ data) =>
    html`<${Editor} trigger=${trigger} definition=${definition} definitions=${data.items} close=${close}
      saved=${saved} />`}</${Loaded}>`;
}

/** @param {{trigger?: any, definition: string, definitions: any[], close: () => void, saved: () => void}} props */
function Editor({ trigger, definition, definitions, close, saved }) {
  const [form, setForm] = useState(() =>
    formOf(trigger, { definition: definition || definitions[0]?.key || "", timezone: ownZone() }),
  );
  const [touched, setTouched] = useState(/** @type {string[]} */ ([]));
  const [refused, setRefused] = useState(/** @type {Record<string, string>} */ ({}));
  const [busy, setBusy] = useState(false);
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => {
    setForm((before) => ({ ...before, [name]: value }));
    setTouched((before) => [...before, name]);
    setRefused({});
  };
  const { body, problems: written } = readForm(form, trigger);
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
      if (trigger) await api.patch(pathOf(trigger), changesOf(body, trigger));
      else await create({ name: form.name.trim(), definition: form.definition, ...saidOf(body) });
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
        ${(form.kind === "cron" || form.kind === "interval") && html`<${ScheduleFields} ...${fields}
          words=${preview.error ? undefined : preview.answer?.words} />`}
        ${form.kind === "event" && html`<${EventFields} ...${fields} />`}
        ${form.kind === "init" && html`<${InitFields} ...${fields} />`}
        <${MoreFields} ...${fields} />
      </div>
      <${Aside} form=${form} set=${set} problems=${shown} preview=${preview} rendered=${rendered} />
    </div>
  </${Dialog}>`;
}

/** @param {any} props */
function Identity({ form, set, problems, definitions, made, definition }) {
  return html`<div class="field-row">
    <${Field} label="Name" problem=${problems.name}>${(/** @type {any} */ attributes) =>
      html`<input ...${attributes} value=${form.name} disabled=${made} autocomplete="off" maxLength="200"
        onInput=${(/** @type {any} */ event) => set("name")(event.target.value)} />`}</${Field}>
    <${Field} label="Definition" hint=${definition?.description || undefined} problem=${problems.definition}>${(
      /** @type {any} */ attributes,
    ) =>
      html`<${Select} attributes=${{ ...attributes, disabled: made }} value=${form.definition}
        choose=${set("definition")}
        options=${[...new Set([...definitions.map((/** @type {any} */ one) => one.key), form.definition])].map((key) => [key, key])} />`}
    </${Field}>
  </div>`;
}

/** @param {any} body */
async function create(body) {
  const made = await api.post("/jobs/triggers", body);
  say(`Created ${made.name}.`, { href: href(`/triggers/${made.id}`), go: "Open" });
}

/** When it would be due, a moment after the rule was last changed. @param {any} form @param {any} body @param {any} written */
function usePreview(form, body, written) {
  const { cron, every_seconds, timezone, starts_at, ends_at } = body;
  const rule = { cron, every_seconds, timezone, starts_at, ends_at, count: 10 };
  const timed = body.trigger_type === "schedule" && !written.interval;
  return useDebounced(timed ? JSON.stringify(rule) : "", (signal) => api.get("/jobs/triggers/preview", rule, signal));
}

/** What the template would make of the sample. @param {any} form @param {any} body @param {any} written */
function useRendered(form, body, written) {
  const test = {
    payload: body.payload,
    event: form.event || "sample",
    data: readObject(form.sample).value ?? {},
    condition: body.condition,
    definition: form.definition || null,
  };
  const ready = form.kind === "event" && !written.payload && !written.sample;
  return useDebounced(ready ? JSON.stringify(test) : "", () => api.post("/jobs/triggers/test-render", test));
}

/** By the form's own fields; what belongs to none stands under "". @param {Refused} error */
function byField(error) {
  const found = Object.entries(error.fields).map(([at, message]) => {
    const name = at.split(".")[0];
    return [FORM_FIELDS[name] ?? name, message];
  });
  return found.length ? Object.fromEntries(found) : { "": error.message };
}
