// What is seldom said of a trigger: its window, where its jobs go, and what becomes of what is late or fails. Pure.
import { readMoment, writeMoment } from "./in_zone.js";
import { readSetting, writeSetting } from "./settings.js";

/** @typedef {Api.SettingAnswer} Setting */
/** What the form of a trigger needs to know of triggers. @typedef {Setting[]} Settings */

// These have fields of their own in the form; all others are shown as the API says them.
const OWN = ["trigger_type", "cron", "every_seconds", "event", "init_version", "timezone", "condition", "payload"];
const OWN_TOO = ["catch_up", "overlap", "jitter_seconds"];
/** Of these kinds it stands with what is often said. @type {Record<string, string[]>} */
const FRONT = { event: ["dedupe_window_seconds"] };

/** @param {Settings} settings */
const furtherOf = (settings) => settings.filter(({ name }) => ![...OWN, ...OWN_TOO].includes(name));

/** Whether triggers of this kind have it. @param {Setting} setting @param {string} kind */
const isOf = ({ types }, kind) => types.length === 0 || types.includes(kind === "cron" || kind === "every" ? "schedule" : kind);

/** What is folded away for this kind, times first. @param {Settings} settings @param {string} kind */
export function moreOf(settings, kind) {
  const more = furtherOf(settings).filter((setting) => isOf(setting, kind) && !FRONT[kind]?.includes(setting.name));
  return more.sort((a, b) => Number(b.kind === "moment") - Number(a.kind === "moment"));
}

/** What a trigger has for a setting. @param {Api.TriggerAnswer | undefined} trigger @param {Setting} setting @returns {unknown} */
const valueOf = (trigger, { name }) => trigger?.[/** @type {keyof Api.TriggerAnswer} */ (name)] ?? null;

/**
 * What the fields hold at first; nothing where the default holds.
 * @param {Settings} settings
 * @param {Api.TriggerAnswer | undefined} trigger
 * @param {string} tz
 * @returns {Record<string, string>}
 */
export function writeMore(settings, trigger, tz) {
  const fields = furtherOf(settings).map((setting) => {
    const value = valueOf(trigger, setting);
    if (value === null || value === setting.default) return [setting.name, ""];
    return [setting.name, setting.kind === "moment" ? writeMoment(Date.parse(String(value)), tz) : writeSetting(setting, value)];
  });
  return Object.fromEntries(fields);
}

/** Without what holds anyway. @template {object} T @param {Settings} settings @param {T} values @returns {Partial<T>} */
export function withoutDefaults(settings, values) {
  const usual = new Map(settings.map(({ name, default: value }) => [name, JSON.stringify(value)]));
  const given = Object.entries(values).filter(([name, value]) => value !== null && JSON.stringify(value) !== usual.get(name));
  return /** @type {Partial<T>} */ (Object.fromEntries(given));
}

/**
 * What was meant, and what is wrong with it. What this kind has no field for stays as it is.
 * @param {Settings} settings
 * @param {Record<string, string>} form
 * @param {Api.TriggerAnswer} [trigger] as it stands, if it is of the same kind
 * @returns {{values: import("./trigger_form.js").Rule, problems: Record<string, string>}}
 */
export function readMore(settings, form, trigger) {
  /** @type {Record<string, unknown>} */
  const values = {};
  /** @type {Record<string, string>} */
  const problems = {};
  for (const setting of furtherOf(settings)) {
    const { name } = setting;
    const before = valueOf(trigger, setting);
    if (!isOf(setting, form.kind)) values[name] = before ?? setting.default;
    else if (setting.kind === "moment") values[name] = momentOf(form[name], form.timezone, before);
    else if (form[name].trim() === "") values[name] = setting.default;
    else {
      const { value, problem } = readSetting(setting, form[name]);
      if (problem) problems[name] = problem;
      values[name] = value ?? null;
    }
  }
  return { values, problems };
}

/** A field shows whole seconds: one that nobody touched means what it meant. @param {string} text @param {string} tz @param {unknown} before */
function momentOf(text, tz, before) {
  if (typeof before === "string" && writeMoment(Date.parse(before), tz) === text) return before;
  const at = readMoment(text, tz);
  return at === null ? null : new Date(at).toISOString();
}
