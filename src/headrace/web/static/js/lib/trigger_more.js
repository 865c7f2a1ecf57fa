// What is seldom said of a trigger: its window, where its jobs go, and what becomes of what is late or fails. Pure.
import { readMoment, writeMoment } from "./in_zone.js";
import { readSetting, writeSetting } from "./settings.js";

/**
 * @typedef {object} Where
 * @property {keyof Api.TriggerAnswer} name
 * @property {string[]} of kinds of triggers that have it
 * @property {string[]} [front] kinds that have it among what is often said
 * @property {number} [usual] what it is when it is not said
 */
/** @typedef {import("./settings.js").Setting & Where} More */

const TIMED = ["cron", "every"];
const ALL = [...TIMED, "event", "init"];

/** @type {More[]} */
export const MORE = [
  { of: TIMED, name: "max_fires", label: "At most", kind: "count", none: "no limit", help: "So many fires, then never again." },
  {
    of: TIMED,
    name: "pause_on_failures",
    label: "Pause after failures",
    kind: "count",
    none: "never",
    help: "So many jobs in a row.",
  },
  {
    of: TIMED,
    name: "misfire_grace_seconds",
    label: "Missed when later than",
    kind: "duration",
    usual: 60,
    none: "1m",
    help: "Until then it fires late.",
  },
  {
    of: TIMED,
    name: "catch_up_cap",
    label: "Make up for at most",
    kind: "count",
    usual: 100,
    none: "100",
    help: "Where all that were missed run.",
  },
  {
    of: ALL,
    front: ["event"],
    name: "dedupe_window_seconds",
    label: "Same payload once in",
    kind: "duration",
    none: "no matter how often",
  },
  { of: ALL, name: "queue", label: "Queue", kind: "text", none: "the definition's" },
  { of: ALL, name: "priority", label: "Priority", kind: "count", none: "the definition's", help: "0 to 1,000, lower runs first." },
  { of: ALL, name: "max_attempts", label: "Attempts", kind: "count", none: "the definition's" },
];
/** @type {["starts_at" | "ends_at", string][]} */
export const WINDOW = [
  ["starts_at", "Not before"],
  ["ends_at", "Not at or after"],
];

/** @param {string} kind */
export const moreOf = (kind) => MORE.filter((one) => one.of.includes(kind) && !one.front?.includes(kind));
/** @param {string} kind */
export const hasWindow = (kind) => TIMED.includes(kind);

/** What the fields hold at first. @param {Api.TriggerAnswer | undefined} trigger @param {string} tz @returns {Record<string, string>} */
export function writeMore(trigger, tz) {
  const window = WINDOW.map(([name]) => {
    const at = trigger?.[name];
    return [name, at ? writeMoment(Date.parse(at), tz) : ""];
  });
  const more = MORE.map((one) => {
    const value = trigger?.[one.name] ?? null;
    return [one.name, value === one.usual ? "" : writeSetting(one, value)];
  });
  return Object.fromEntries([...window, ...more]);
}

/** Without what holds anyway. @template {object} T @param {T} values @returns {Partial<T>} */
export const saidOf = (values) =>
  /** @type {Partial<T>} */ (
    Object.fromEntries(
      Object.entries(values).filter(([at, value]) => value !== null && value !== MORE.find(({ name }) => name === at)?.usual),
    )
  );

/**
 * What was meant, and what is wrong with it. What this kind has no field for stays as it is.
 * @param {Record<string, string>} form
 * @param {Api.TriggerAnswer} [trigger] as it stands, if it is of the same kind
 * @returns {{values: import("./trigger_form.js").Rule, problems: Record<string, string>}}
 */
export function readMore(form, trigger) {
  /** @type {Record<string, unknown>} */
  const values = {};
  /** @type {Record<string, string>} */
  const problems = {};
  for (const [name] of WINDOW)
    values[name] = hasWindow(form.kind) ? momentOf(form[name], form.timezone, trigger?.[name]) : (trigger?.[name] ?? null);
  for (const one of MORE) {
    const has = one.of.includes(form.kind);
    const { value, problem } = has ? readSetting(one, form[one.name]) : { value: trigger?.[one.name] };
    if (problem) problems[one.name] = problem;
    values[one.name] = value ?? one.usual ?? null;
  }
  return { values, problems };
}

/** A field shows whole seconds: one that nobody touched means what it meant. @param {string} text @param {string} tz @param {string | null} [before] */
function momentOf(text, tz, before) {
  if (before && writeMoment(Date.parse(before), tz) === text) return before;
  const at = readMoment(text, tz);
  return at === null ? null : new Date(at).toISOString();
}
