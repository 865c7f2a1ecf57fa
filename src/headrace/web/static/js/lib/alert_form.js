// What the form of an alert rule holds, and what it asks the API for. Pure.
import { sayDuration, writeDuration } from "./durations.js";
import { readSetting, writeSetting } from "./settings.js";

/** @typedef {import("./settings.js").Setting} Setting */
/** @typedef {{name: string, kind: Api.RuleAnswer["kind"], targets: string[], escalate_to: string, parameters: Record<string, string>, texts: Record<string, string>}} RuleForm */
/** What may be set of rules. @typedef {Api.AlertRuleSettingsAnswer} Known */

/** @param {Known} known @param {string} name @returns {Api.AlertKindAnswer} */
export const kindOf = (known, name) => /** @type {Api.AlertKindAnswer} */ (known.kinds.find((one) => one.name === name));
/** A setting that may be left empty: then it has its default. @param {Setting} setting @returns {Setting} */
const optional = (setting) => ({ ...setting, none: setting.none ?? writeSetting(setting, setting.default) });
/** @param {Known} known @param {string} name @returns {Setting} */
export const settingOf = (known, name) => /** @type {Setting} */ (known.items.find((one) => one.name === name));
/** @param {Known} known @param {string} kind @returns {Setting[]} */
export const parametersOf = (known, kind) => kindOf(known, kind).parameters.map(optional);
/** @param {Known} known @param {string} kind @returns {Setting[]} */
export const timing = (known, kind) => [
  optional(settingOf(known, "group_seconds")),
  {
    ...settingOf(known, "recover_after_seconds"),
    none: writeDuration(kindOf(known, kind).recover_after_seconds) || "0s",
  },
];
// Needed where there is a second target, and not asked for where there is none.
/** @param {Known} known @returns {Setting} */
export const escalateAfter = (known) => ({ ...settingOf(known, "escalate_after"), none: null });
// What is written as it stands.
const QUIET = /** @type {const} */ (["quiet_from", "quiet_until"]);

/** @param {Known} known @param {Api.RuleAnswer | undefined} rule one that is there, or nothing @param {string} timezone the reader's @returns {RuleForm} */
export function ruleForm(known, rule, timezone) {
  const kind = rule?.kind ?? "job_died";
  const settings = [settingOf(known, "repeat_seconds"), escalateAfter(known), ...timing(known, kind)];
  const written = settings.map((one) => [one.name, writeSetting(one, rule?.[/** @type {keyof Api.RuleAnswer} */ (one.name)] ?? null)]);
  return {
    name: rule?.name ?? "",
    kind,
    targets: rule?.targets ?? [],
    escalate_to: rule?.escalate_to ?? "",
    parameters: Object.fromEntries(
      parametersOf(known, kind).map((one) => [one.name, writeSetting(one, rule?.parameters[one.name] ?? null)]),
    ),
    texts: Object.fromEntries([
      ...written,
      ...QUIET.map((name) => [name, rule?.[name] ?? ""]),
      ["timezone", rule && rule.quiet_from ? rule.timezone : timezone],
    ]),
  };
}

/** @param {Known} known @param {RuleForm} form @returns {{body: Api.RuleChanges, problems: Record<string, string>}} */
export function readRule(known, form) {
  /** @type {Record<string, string>} */
  const problems = {};
  const read = (/** @type {Setting} */ setting, /** @type {string} */ text, /** @type {string} */ at) => {
    const { value = null, problem } = readSetting(setting, text);
    if (problem) problems[at] = problem;
    return value;
  };
  const { texts, escalate_to } = form;
  const parameters = parametersOf(known, form.kind).map((one) => [
    one.name,
    read(one, form.parameters[one.name] ?? "", `parameters.${one.name}`),
  ]);
  const times = timing(known, form.kind).map((one) => [one.name, read(one, texts[one.name], one.name) ?? one.default]);
  const quiet = texts.quiet_from || texts.quiet_until;
  const body = /** @type {Api.RuleChanges} */ ({
    name: form.name.trim(),
    parameters: Object.fromEntries(parameters),
    targets: form.targets,
    repeat_seconds: read(settingOf(known, "repeat_seconds"), texts.repeat_seconds, "repeat_seconds"),
    escalate_to: escalate_to || null,
    escalate_after: escalate_to ? read(escalateAfter(known), texts.escalate_after, "escalate_after") : null,
    ...Object.fromEntries(times),
    ...Object.fromEntries(QUIET.map((name) => [name, texts[name] || null])),
    ...(quiet ? { timezone: texts.timezone } : {}),
  });
  return { body, problems };
}

/** What differs from the rule as it stands; of parameters, one by one. @param {Api.RuleChanges} body @param {Api.RuleAnswer} rule @returns {Api.RuleChanges} */
export function ruleChanges(body, rule) {
  const { parameters = {}, ...rest } = body;
  const differs = (/** @type {unknown} */ a, /** @type {unknown} */ b) => JSON.stringify(a) !== JSON.stringify(b);
  const other = Object.entries(rest).filter(([name, value]) => differs(value, rule[/** @type {keyof Api.RuleChanges} */ (name)]));
  const changed = Object.entries(parameters).filter(([name, value]) => differs(value, rule.parameters[name] ?? null));
  return { ...Object.fromEntries(other), ...(changed.length && { parameters: Object.fromEntries(changed) }) };
}

/** Whom it tells and how often, in words. @param {Api.RuleAnswer} rule @param {(id: string) => string} nameOf */
export function tellsWords(rule, nameOf) {
  if (rule.targets.length === 0 && !rule.escalate_to) return "its alerts are only listed here";
  const again = rule.repeat_seconds ? `again every ${sayDuration(rule.repeat_seconds)}` : "one notice";
  const more = rule.escalate_to ? `, also ${nameOf(rule.escalate_to)} with repeat ${rule.escalate_after}` : "";
  const quiet = rule.quiet_from ? `; quiet from ${rule.quiet_from} to ${rule.quiet_until} ${rule.timezone}` : "";
  return again + more + quiet;
}
