// What the form of a trigger holds, and what it asks the API for. Pure.
import { NO_DURATION, readDuration, writeDuration } from "./durations.js";
import { readMore, writeMore } from "./trigger_more.js";

/** @typedef {"cron" | "interval" | "event" | "init"} Kind */
/**
 * Its own fields; those of `trigger_more` stand beside them, by the API's names.
 * @typedef {object} OwnForm
 * @property {string} name
 * @property {string} definition
 * @property {Kind} kind
 * @property {string} cron
 * @property {string} interval
 * @property {string} timezone
 * @property {string} event
 * @property {string} condition
 * @property {string} init_version
 * @property {string} payload JSON
 * @property {string} sample JSON, an event to try it with
 * @property {string} jitter
 * @property {string} catch_up
 * @property {string} overlap
 */
/** @typedef {OwnForm & Record<string, string>} Form */

/** @param {import("../types.js").Trigger} trigger @returns {Kind} */
const kindOf = (trigger) =>
  trigger.trigger_type !== "schedule" ? trigger.trigger_type : trigger.cron ? "cron" : "interval";

/** @param {import("../types.js").Trigger | undefined} trigger @param {{definition: string, timezone: string}} usual @returns {Form} */
export function formOf(trigger, usual) {
  return {
    name: trigger?.name ?? "",
    definition: trigger?.definition ?? usual.definition,
    kind: trigger ? kindOf(trigger) : "cron",
    cron: trigger?.cron ?? "0 2 * * *",
    interval: writeDuration(trigger?.every_seconds) || "15m",
    timezone: trigger?.timezone ?? usual.timezone,
    event: trigger?.event ?? "",
    condition: trigger?.condition ?? "",
    init_version: trigger?.init_version ?? "",
    payload: JSON.stringify(trigger?.payload ?? {}, null, 2),
    sample: JSON.stringify(sampleFor(trigger), null, 2),
    jitter: writeDuration(trigger?.jitter_seconds),
    catch_up: trigger?.catch_up ?? "latest",
    overlap: trigger?.overlap ?? "allow",
    ...writeMore(trigger, trigger?.timezone ?? usual.timezone),
  };
}

/** An event with what the template and the condition look at. @param {import("../types.js").Trigger | undefined} trigger */
function sampleFor(trigger) {
  /** @type {Record<string, any>} */
  const sample = {};
  const text = `${JSON.stringify(trigger?.payload ?? {})} ${trigger?.condition ?? ""}`;
  for (const [, path] of text.matchAll(/\bevent\.(\w+(?:\.\w+)*)/g)) {
    const names = path.split(".");
    const last = /** @type {string} */ (names.pop());
    const at = names.reduce((inner, name) => (inner[name] = typeof inner[name] === "object" ? inner[name] : {}), sample);
    at[last] ??= 1;
  }
  return sample;
}

/** Which of the API's fields belongs to which of the form's. @type {Record<string, string>} */
export const FORM_FIELDS = {
  every_seconds: "interval",
  jitter_seconds: "jitter",
  trigger_type: "kind",
};

/** @param {string} text @returns {{value?: Record<string, any>, problem?: string}} */
export function readObject(text) {
  try {
    const value = JSON.parse(text.trim() || "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { value }
      : { problem: "Use an object, such as {}." };
  } catch (error) {
    return { problem: `This is not JSON: ${/** @type {Error} */ (error).message}` };
  }
}

/**
 * @param {Form} form
 * @param {import("../types.js").Trigger} [trigger] as it stands
 * @returns {{body: Record<string, any>, problems: Record<string, string>}}
 */
export function readForm(form, trigger) {
  const { kind } = form;
  const timed = kind === "cron" || kind === "interval";
  const payload = readObject(form.payload);
  const interval = kind === "interval" ? readDuration(form.interval) : 0;
  const jitter = kind === "event" ? 0 : readDuration(form.jitter);
  const more = readMore(form, trigger && kindOf(trigger) === kind ? trigger : undefined);
  /** @type {Record<string, string>} */
  const problems = { ...more.problems };
  if (!form.name.trim()) problems.name = "A name is needed.";
  if (!form.definition) problems.definition = "Choose what to run.";
  if (payload.problem) problems.payload = payload.problem;
  if (interval === null || (kind === "interval" && !interval)) problems.interval = NO_DURATION;
  if (jitter === null) problems.jitter = NO_DURATION;
  if (kind === "event" && !form.event.trim()) problems.event = "An event is needed, such as user.created.";
  if (kind === "event" && readObject(form.sample).problem) problems.sample = String(readObject(form.sample).problem);
  const body = {
    trigger_type: timed ? "schedule" : kind,
    cron: kind === "cron" ? form.cron : null,
    every_seconds: kind === "interval" ? interval : null,
    event: kind === "event" ? form.event.trim() : null,
    init_version: kind === "init" ? form.init_version : "",
    timezone: form.timezone,
    condition: kind === "event" ? form.condition.trim() || null : null,
    payload: payload.value ?? {},
    ...more.values,
    jitter_seconds: jitter ?? 0,
    catch_up: form.catch_up,
    overlap: kind === "event" ? "allow" : form.overlap,
  };
  return { body, problems };
}

// These say together when a trigger fires, so they are sent together.
const RULE = ["trigger_type", "cron", "every_seconds", "event", "init_version"];

/** What differs from the trigger as it stands. @param {Record<string, any>} body @param {Record<string, any>} trigger */
export function changesOf(body, trigger) {
  const other = Object.keys(body).filter((name) => JSON.stringify(body[name]) !== JSON.stringify(trigger[name]));
  const names = other.some((name) => RULE.includes(name)) ? [...new Set([...other, ...RULE])] : other;
  return Object.fromEntries(names.map((name) => [name, body[name]]));
}
