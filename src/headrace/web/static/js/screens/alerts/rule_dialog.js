// A rule made or changed: what it looks for, whom it tells, how often and when not.
import { api } from "../../api.js";
import { Field, Select, TextField } from "../../components/forms/field.js";
import { FormDialog } from "../../components/forms/form_dialog.js";
import { Icon } from "../../components/icon.js";
import { escalateAfter, kindOf, readRule, ruleChanges, ruleForm, settingOf, timing } from "../../lib/alert_form.js";
import { allZones, ownZone } from "../../lib/in_zone.js";
import { html, ticked, toggled, typed, useState } from "../../ui.js";
import { Parameters } from "./parameters.js";

/** @typedef {import("../../lib/alert_form.js").RuleForm} RuleForm */
/** @typedef {import("../../lib/alert_form.js").Known} Known */

/** @param {{known: Known, rule?: Api.RuleAnswer, targets: Api.TargetAnswer[], close: () => void, saved: () => void}} props targets: those that it may tell */
export function RuleDialog({ known, rule, targets, close, saved }) {
  const [form, setForm] = useState(() => ruleForm(known, rule, ownZone()));
  const put = (/** @type {Partial<RuleForm>} */ changes) => setForm((before) => ({ ...before, ...changes }));
  const { body, problems: written } = readRule(known, form);
  const send = async () => {
    if (rule) await api.patch("/alerts/rules/{alert_rule_id}", { alert_rule_id: rule.id }, ruleChanges(body, rule));
    else await api.post("/alerts/rules", {}, /** @type {Api.NewRule} */ ({ kind: form.kind, ...saidOf(body) }));
    saved();
  };
  const ready = Object.keys(written).length === 0 && form.name.trim() !== "";
  const title = rule ? `Edit rule ${rule.name}` : "New rule";
  return html`<${FormDialog} title=${title} does=${rule ? "Save" : "Make rule"} close=${close} send=${send} ready=${ready}>
    ${(/** @type {Record<string, string>} */ refused) => {
      const fields = { known, form, put, problems: { ...refused, ...written } };
      return html`
        <div class="field-row">
          <${TextField} label="Name" value=${form.name} set=${(/** @type {string} */ name) => put({ name })}
            problem=${fields.problems.name} />
          <${Field} label="Looks for" problem=${fields.problems.kind}>${(/** @type {Attributes} */ attributes) =>
            html`<${Select} attributes=${{ ...attributes, disabled: rule !== undefined }} value=${form.kind} options=${known.kinds.map(({ name, label }) => [name, label])}
              choose=${(/** @type {RuleForm["kind"]} */ kind) => put({ kind, parameters: {} })} />`}</${Field}>
        </div>
        <p class="soft">${kindOf(known, form.kind).about}</p>
        <${Parameters} ...${fields} />
        <${Tells} ...${fields} targets=${targets} />
        <${Line} ...${fields} setting=${settingOf(known, "repeat_seconds")} />
        <${Seldom} ...${fields} targets=${targets} />`;
    }}
  </${FormDialog}>`;
}

/** What was written; the rest has its default. @param {Api.RuleChanges} body */
const saidOf = ({ parameters = {}, ...rest }) => {
  const written = (/** @type {object} */ all) =>
    Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
  return { ...written(rest), parameters: written(parameters) };
};

/** @typedef {{known: Known, form: RuleForm, put: (changes: Partial<RuleForm>) => void, problems: Record<string, string>}} Fields */

/** @param {Fields & {setting: import("../../lib/settings.js").Setting}} props */
function Line({ form, put, problems, setting: { name, label, help, none } }) {
  const set = (/** @type {string} */ text) => put({ texts: { ...form.texts, [name]: text } });
  return html`<${Field} label=${label} hint=${help} problem=${problems[name]}>${(/** @type {Attributes} */ attributes) =>
    html`<input ...${attributes} value=${form.texts[name]} placeholder=${none} autocomplete="off" spellcheck=${false}
      onInput=${typed(set)} />`}</${Field}>`;
}

/** @param {Fields & {targets: Api.TargetAnswer[]}} props */
function Tells({ form, put, problems, targets }) {
  const turn = (/** @type {string} */ id) =>
    ticked((on) => put({ targets: on ? [...form.targets, id] : form.targets.filter((other) => other !== id) }));
  return html`<fieldset class="field"><legend>Tells</legend>
    ${
      targets.length === 0
        ? html`<p class="field-note">There is no target yet. Without targets alerts are only listed here.</p>`
        : html`<div class="checks">${targets.map((one) => html`<label class="field field-check" key=${one.id}><input type="checkbox"
            checked=${form.targets.includes(one.id)} onChange=${turn(one.id)} /><span>${one.name}</span></label>`)}</div>`
    }
    ${problems.targets && html`<p class="field-note is-bad">${problems.targets}</p>`}
  </fieldset>`;
}

const SELDOM = ["group_seconds", "recover_after_seconds", "escalate_to", "escalate_after", "quiet_from", "quiet_until", "timezone"];

/** Escalation, quiet hours and timing, folded away unless some of it is said. @param {Fields & {targets: Api.TargetAnswer[]}} props */
function Seldom({ targets, ...fields }) {
  const { known, form, put, problems } = fields;
  const [open, setOpen] = useState(form.escalate_to !== "" || form.texts.quiet_from !== "");
  const shown = open || SELDOM.some((name) => problems[name]);
  const others = targets.filter((one) => !form.targets.includes(one.id));
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => put({ texts: { ...form.texts, [name]: value } });
  return html`<details class="more" open=${shown} onToggle=${toggled(setOpen)}>
    <summary><${Icon} name="down" />Escalation, quiet hours and timing</summary>
    <div class="more-fields">
      <${Field} label="If not acknowledged, also notify" hint="From that repeat on." problem=${problems.escalate_to}>${(
        /** @type {Attributes} */ attributes,
      ) =>
        html`<${Select} attributes=${attributes} value=${form.escalate_to}
          options=${[["", "nobody"], ...others.map((one) => [one.id, one.name])]}
          choose=${(/** @type {string} */ escalate_to) => put({ escalate_to })} />`}</${Field}>
      ${form.escalate_to ? html`<${Line} ...${fields} setting=${escalateAfter(known)} />` : html`<span class="wide-only" />`}
      <${Clock} label="Quiet from" hint="No notice is sent; open alerts notify at the end." value=${form.texts.quiet_from}
        set=${set("quiet_from")} problem=${problems.quiet_from} />
      <${Clock} label="Quiet until" value=${form.texts.quiet_until} set=${set("quiet_until")} problem=${problems.quiet_until} />
      <${Field} label="Time zone" problem=${problems.timezone}>${(/** @type {Attributes} */ attributes) =>
        html`<${Select} attributes=${attributes} value=${form.texts.timezone} choose=${set("timezone")}
          options=${[...new Set([form.texts.timezone, ...allZones()])].map((name) => [name, name])} />`}</${Field}>
      <span class="wide-only" />
      ${timing(known, form.kind).map((one) => html`<${Line} ...${fields} key=${one.name} setting=${one} />`)}
    </div>
  </details>`;
}

/** @param {{label: string, value: string, set: (value: string) => void, hint?: string, problem?: string}} props */
function Clock({ label, value, set, hint, problem }) {
  return html`<${Field} label=${label} hint=${hint} problem=${problem}>${(/** @type {Attributes} */ attributes) => html`<input
    ...${attributes} type="time" value=${value} onInput=${typed(set)} />`}</${Field}>`;
}
