// What the form of a trigger holds, and what it asks the API for. Pure.
import { NO_DURATION, readDuration, writeDuration } from "./durations.js";
import { readMore, writeMore } from "./trigger_more.js";

/** @typedef {"cron" | "every" | "event" | "init"} Kind */
/**
 * Its own fields; those of `trigger_more` stand beside them, by the API's names.
 * @typedef {object} OwnForm
 * @property {string} name
 * @property {string} definition
 * @property {Kind} kind
 * @property {string} cron
 * @property {string} every
 * @property {string} timezone
 * @property {string} event
 * @property {string} condition
 * @property {string} init_version
 * @property {string} payload JSON
 * @property {string} sample JSON, an event to try it with
 * @property {string} jitter
 * @property {Api.TriggerAnswer["catch_up"]} catch_up
 * @property {Api.TriggerAnswer["overlap"]} overlap
 */
/** @typedef {OwnForm & Record<string, string>} Form */
/** What a form says of its trigger, for the API. @typedef {Omit<Api.TriggerChanges, "enabled">} Rule */

/** @param {Api.TriggerAnswer} trigger @returns {Kind} */
const kindOf = (trigger) =>
  trigger.trigger_type !== "schedule" ? trigger.trigger_type : trigger.cron ? "cron" : "every";

/**
 * @param {import("./trigger_more.js").Settings} settings
 * @param {Api.TriggerAnswer | undefined} trigger
 * @param {{definition: string, timezone: string}} usual
 * @returns {Form}
 */
export function formOf(settings, trigger, usual) {
  return {
    name: trigger?.name ?? "",
    definition: trigger?.definition ?? usual.definition,
    kind: trigger ? kindOf(trigger) : "cron",
    cron: trigger?.cron ?? "0 2 * * *",
    every: writeDuration(trigger?.every_seconds) || "15m",
    timezone: trigger?.timezone ?? usual.timezone,
    event: trigger?.event ?? "",
    condition: trigger?.condition ?? "",
    init_version: trigger?.init_version ?? "",
    payload: JSON.stringify(trigger?.payload ?? {}, null, 2),
    sample: JSON.stringify(sampleFor(trigger), null, 2),
    jitter: writeDuration(trigger?.jitter_seconds),
    catch_up: trigger?.catch_up ?? "latest",
    overlap: trigger?.overlap ?? "allow",
    ...writeMore(settings, trigger, trigger?.timezone ?? usual.timezone),
  };
}

/** @typedef {{[name: string]: Sample | number}} Sample */

/** An event with what the template and the condition look at. @param {Api.TriggerAnswer | undefined} trigger */
function sampleFor(trigger) {
  /** @type {Sample} */
  const sample = {};
  const text = `${JSON.stringify(trigger?.payload ?? {})} ${trigger?.condition ?? ""}`;
  for (const [, path] of text.matchAll(/\bevent\.(\w+(?:\.\w+)*)/g)) {
    const names = path.split(".");
    const last = /** @type {string} */ (names.pop());
    const at = names.reduce((within, name) => {
      const inner = within[name];
      return typeof inner === "object" ? inner : (within[name] = {});
    }, sample);
    at[last] ??= 1;
  }
  return sample;
}

/** Which of the API's fields belongs to which of the form's. @type {Record<string, string>} */
export const FORM_FIELDS = {
  every_seconds: "every",
  jitter_seconds: "jitter",
  trigger_type: "kind",
};

/** @param {string} text @returns {{value?: Record<string, unknown>, problem?: string}} */
export function readObject(text) {
  try {
    const value = JSON.parse(text.trim() || "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { value }
      : { problem: "Use an object, for example {}." };
  } catch (error) {
    return { problem: `This is not JSON: ${/** @type {Error} */ (error).message}` };
  }
}

/**
 * @param {import("./trigger_more.js").Settings} settings
 * @param {Form} form
 * @param {Api.TriggerAnswer} [trigger] as it stands
 * @returns {{body: Rule, problems: Record<string, string>}}
 */
export function readForm(settings, form, trigger) {
  const { kind } = form;
  const timed = kind === "cron" || kind === "every";
  const payload = readObject(form.payload);
  const every = kind === "every" ? readDuration(form.every) : 0;
  const jitter = kind === "event" ? 0 : readDuration(form.jitter);
  const more = readMore(settings, form, trigger && kindOf(trigger) === kind ? trigger : undefined);
  /** @type {Record<string, string>} */
  const problems = { ...more.problems };
  if (!form.name.trim()) problems.name = "A name is required.";
  if (!form.definition) problems.definition = "Choose what to run.";
  if (payload.problem) problems.payload = payload.problem;
  if (every === null || (kind === "every" && !every)) problems.every = NO_DURATION;
  if (jitter === null) problems.jitter = NO_DURATION;
  if (kind === "event" && !form.event.trim()) problems.event = "An event is required, for example user.created.";
  if (kind === "event" && readObject(form.sample).problem) problems.sample = String(readObject(form.sample).problem);
  /** @type {Rule} */
  const body = {
    trigger_type: timed ? "schedule" : kind,
    cron: kind === "cron" ? form.cron : null,
    every_seconds: kind === "every" ? every : null,
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
/** @type {(keyof Rule)[]} */
const RULE = ["trigger_type", "cron", "every_seconds", "event", "init_version"];

/** What differs from the trigger as it stands. @param {Rule} body @param {Api.TriggerAnswer} trigger @returns {Rule} */
export function changesOf(body, trigger) {
  const names = /** @type {(keyof Rule)[]} */ (Object.keys(body));
  const other = names.filter((name) => JSON.stringify(body[name]) !== JSON.stringify(trigger[name]));
  const sent = other.some((name) => RULE.includes(name)) ? [...new Set([...other, ...RULE])] : other;
  return Object.fromEntries(sent.map((name) => [name, body[name]]));
}
