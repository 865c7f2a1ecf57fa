// What the form of an alert rule holds, and what it asks the API for. Pure.
import { ALERT_KINDS } from "./alert_kinds.js";
import { sayDuration, writeDuration } from "./durations.js";
import { readSetting, writeSetting } from "./settings.js";

/** @typedef {import("./settings.js").Setting} Setting */
/** @typedef {{name: string, kind: string, targets: string[], escalate_to: string, parameters: Record<string, string>, texts: Record<string, string>}} RuleForm */

/** @type {Setting} */
export const REPEAT = {
  name: "repeat_seconds",
  label: "Tell again every",
  kind: "duration",
  none: "told once",
  help: "While it lasts.",
};
/** @type {Setting} */
export const ESCALATE_AFTER = { name: "escalate_after", label: "With which repeat", kind: "count" };
/** @param {string} kind @returns {Setting[]} */
export const timing = (kind) => [
  { name: "group_seconds", label: "Gather news for", kind: "duration", none: "30s", help: "After a notice; then all go in one." },
  {
    name: "recover_after_seconds",
    label: "Over when well for",
    kind: "duration",
    none: writeDuration(ALERT_KINDS[kind]?.recovers) || "0s",
  },
];
// What is written as it stands.
const QUIET = ["quiet_from", "quiet_until"];
// What is so when it is not said; null is as the kind has it.
const USUAL = /** @type {Record<string, number | null>} */ ({ group_seconds: 30, recover_after_seconds: null });

/** @param {any} rule one that is there, or nothing @param {string} timezone the reader's @returns {RuleForm} */
export function ruleForm(rule, timezone) {
  const kind = rule?.kind ?? "job_died";
  const settings = [REPEAT, ESCALATE_AFTER, ...timing(kind)];
  const written = settings.map((one) => [one.name, writeSetting(one, rule?.[one.name] ?? null)]);
  return {
    name: rule?.name ?? "",
    kind,
    targets: rule?.targets ?? [],
    escalate_to: rule?.escalate_to ?? "",
    parameters: Object.fromEntries(
      ALERT_KINDS[kind].parameters.map((one) => [one.name, writeSetting(one, rule?.parameters[one.name] ?? null)]),
    ),
    texts: Object.fromEntries([
      ...written,
      ...QUIET.map((name) => [name, rule?.[name] ?? ""]),
      ["timezone", rule && rule.quiet_from ? rule.timezone : timezone],
    ]),
  };
}

/** @param {RuleForm} form @returns {{body: Record<string, any>, problems: Record<string, string>}} */
export function readRule(form) {
  /** @type {Record<string, string>} */
  const problems = {};
  const read = (/** @type {Setting} */ setting, /** @type {string} */ text, /** @type {string} */ at) => {
    const { value = null, problem } = readSetting(setting, text);
    if (problem) problems[at] = problem;
    return value;
  };
  const { texts, escalate_to } = form;
  const parameters = ALERT_KINDS[form.kind].parameters.map((one) => [
    one.name,
    read(one, form.parameters[one.name] ?? "", `parameters.${one.name}`),
  ]);
  const times = timing(form.kind).map((one) => [one.name, read(one, texts[one.name], one.name) ?? USUAL[one.name]]);
  const quiet = texts.quiet_from || texts.quiet_until;
  const body = {
    name: form.name.trim(),
    parameters: Object.fromEntries(parameters),
    targets: form.targets,
    repeat_seconds: read(REPEAT, texts.repeat_seconds, "repeat_seconds"),
    escalate_to: escalate_to || null,
    escalate_after: escalate_to ? read(ESCALATE_AFTER, texts.escalate_after, "escalate_after") : null,
    ...Object.fromEntries(times),
    ...Object.fromEntries(QUIET.map((name) => [name, texts[name] || null])),
    ...(quiet ? { timezone: texts.timezone } : {}),
  };
  return { body, problems };
}

/** What differs from the rule as it stands; of parameters, one by one. @param {Record<string, any>} body @param {any} rule */
export function ruleChanges(body, rule) {
  const { parameters, ...rest } = body;
  const differs = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(a) !== JSON.stringify(b);
  const other = Object.entries(rest).filter(([name, value]) => differs(value, rule[name]));
  const changed = Object.entries(parameters).filter(([name, value]) => differs(value, rule.parameters[name] ?? null));
  return { ...Object.fromEntries(other), ...(changed.length && { parameters: Object.fromEntries(changed) }) };
}

/** Whom it tells and how often, in words. @param {any} rule @param {(id: string) => string} nameOf */
export function tellsWords(rule, nameOf) {
  if (rule.targets.length === 0 && !rule.escalate_to) return "its alerts are only listed here";
  const again = rule.repeat_seconds ? `again every ${sayDuration(rule.repeat_seconds)}` : "told once";
  const more = rule.escalate_to ? `, also ${nameOf(rule.escalate_to)} with repeat ${rule.escalate_after}` : "";
  const quiet = rule.quiet_from ? `; quiet from ${rule.quiet_from} to ${rule.quiet_until} ${rule.timezone}` : "";
  return again + more + quiet;
}
