// What triggers say of themselves, in words. Pure.
import { plural } from "./format.js";

/** A rule that names nothing but times of day holds every day. @param {string} words */
export const plainWords = (words) =>
  /^At [\d:, and]+$/.test(words)
    ? `Every day at${words.slice(2)}`
    : words.replace(/^At 0 minutes past the hour,? ?/, "Every hour, ").replace(/, $/, "");

/** @param {Api.TriggerAnswer} trigger @param {string | null | undefined} words of its schedule */
export function firesWords(trigger, words) {
  if (trigger.trigger_type === "event") return `When ${trigger.event}`;
  if (trigger.trigger_type === "init") return "Once for each version";
  return plainWords(words ?? trigger.cron ?? `Every ${trigger.every_seconds} s`);
}

/** What stands below the rule. @param {Api.TriggerAnswer} trigger */
export function firesNote(trigger) {
  if (trigger.trigger_type === "event") return trigger.condition ? `if ${trigger.condition}` : "every event";
  if (trigger.trigger_type === "init") return trigger.init_version ? `version ${trigger.init_version}` : "init";
  return trigger.cron === null ? "by elapsed time" : trigger.timezone;
}

const REASONS = /** @type {Record<string, string>} */ ({
  already_fired: "this version has fired before",
  condition: "the condition does not hold",
  deduplicated: "the same payload was enqueued before, within the window",
  deleted_from_code: "its definition was deleted",
  definition_disabled: "its definition is disabled",
  disabled: "the trigger was off",
  dispatch_failed: "the event could not be dispatched",
  edited: "the rule was changed",
  invalid_payload: "the payload does not fit the definition",
  invalid_trigger: "the rule cannot be read",
  max_fires: "the trigger has made its maximum of jobs",
  missed: "the due time was missed, and only the latest fires",
  over_cap: "more due times were missed than may fire",
  overlap: "an earlier job was still live",
  skip_next: "an operator skipped it",
  superseded: "a newer due time fired instead",
  template_error: "the template could not be rendered",
  tenant_not_allowed: "its tenant may not run its definition",
  window_ended: "the schedule had ended",
});

/** @param {string | null} reason */
export const reasonWords = (reason) => (reason === null ? "" : (REASONS[reason] ?? reason.replaceAll("_", " ")));

const OBSTACLES = /** @type {Record<string, string>} */ ({
  deleted_from_code: "Its definition was deleted, so it makes no jobs",
  definition_disabled: "Its definition is disabled, so it makes no jobs",
  secret_fields: "Its definition has secret fields, which no trigger can fill",
  tenant_not_allowed: "Its tenant may not run its definition, so it makes no jobs",
  no_worker: "No live worker knows its definition",
});

/** Why it comes to nothing though it is on. @param {Api.TriggerAnswer} trigger */
export const obstacleWords = ({ obstacle }) => (obstacle === null ? "" : (OBSTACLES[obstacle] ?? obstacle));

const SOURCES = /** @type {Record<string, string>} */ ({
  scheduler: "on time",
  catchup: "made up for",
  manual: "by hand",
  backfill: "backfill",
});

/** @param {string} by */
export const sourceWords = (by) => SOURCES[by] ?? by;

const BAD = ["failed", "dead_letter"];

/** What a dot is: `failed`, `skipped`, `running`, `waiting`, `none`, or nothing when it is well. @param {Api.TriggerRunAnswer | undefined} run */
export function dotOf(run) {
  if (!run || run.status === null) return "none";
  if (BAD.includes(run.status)) return "failed";
  if (run.status === "succeeded") return "";
  if (run.status === "skipped" || run.status === "canceled") return "skipped";
  return run.status === "running" ? "running" : "waiting";
}

/** `9 of 10 succeeded, 1 failed`. @param {Api.TriggerRunAnswer[]} runs */
export function runsWords(runs) {
  const known = runs.filter((run) => run.status !== null);
  if (known.length === 0) return "No runs yet";
  const n = (/** @type {string[]} */ ...names) => known.filter((run) => names.includes(String(run.status))).length;
  const others = /** @type {[number, string][]} */ ([
    [n(...BAD), "failed"],
    [n("skipped"), "skipped"],
    [n("canceled"), "canceled"],
    [n("running"), "running"],
    [n("queued", "scheduled"), "waiting"],
  ]).filter(([many]) => many > 0);
  return [`${n("succeeded")} of ${known.length} succeeded`, ...others.map(([many, word]) => `${many} ${word}`)].join(", ");
}

/** How many of the last runs failed, where that is much. @param {Api.TriggerRunAnswer[]} runs */
export function failingWords(runs) {
  const bad = runs.filter((run) => BAD.includes(String(run.status))).length;
  return bad >= 3 || (bad > 0 && BAD.includes(String(runs[0].status))) ? `${bad} of the last ${runs.length} failed` : "";
}

/** @param {number} n @param {Api.TriggerAnswer[]} triggers */
export function countWords(n, triggers) {
  const off = triggers.filter((one) => !one.enabled).length;
  return `${plural(n, "trigger")}${off ? `, ${off} paused` : ""}`;
}

/**
 * Whether the scheduler has yet to say when it is next due, as it does a moment after a trigger is made or turned on.
 * @param {Api.TriggerAnswer} trigger @param {number} at
 */
export function awaitsTime({ enabled, trigger_type, next_run_at, ends_at, max_fires, fires }, at) {
  const over = (ends_at !== null && Date.parse(ends_at) <= at) || (max_fires !== null && fires >= max_fires);
  return enabled && trigger_type === "schedule" && next_run_at === null && !over;
}
