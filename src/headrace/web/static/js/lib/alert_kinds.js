// What an alert rule can look for, in words; names and defaults are those of the server. Pure.
import { sayDuration, writeDuration } from "./durations.js";
import { count } from "./format.js";

/** @typedef {import("./settings.js").Setting & {usual: number | null, many?: string}} Parameter `usual`: when it is not said; `many`: what a name is one of */
/**
 * @typedef {object} AlertKind
 * @property {string} label
 * @property {string} about when it holds
 * @property {number} recovers seconds for which it must not hold before it is over
 * @property {Parameter[]} parameters
 * @property {(of: Record<string, any>) => string} words what a rule with these parameters looks for
 */

/** @param {"definition" | "queue" | "trigger"} name @returns {Parameter} */
const only = (name) => ({
  name,
  label: `Only ${name}`,
  kind: "text",
  none: `any ${name}`,
  usual: null,
  many: name,
});
/** @param {string} name @param {string} label @param {number} usual @param {string} [help] @returns {Parameter} */
const lasting = (name, label, usual, help) => ({ name, label, kind: "duration", none: writeDuration(usual), usual, help });
/** @param {string} name @param {string} label @param {number} usual @param {string} [help] @returns {Parameter} */
const counted = (name, label, usual, help) => ({ name, label, kind: "count", none: String(usual), usual, help });
/** @param {string} name @param {string} label @param {number} usual @param {string} [help] @returns {Parameter} */
const measured = (name, label, usual, help) => ({ ...counted(name, label, usual, help), kind: "number" });

/** @type {Record<string, AlertKind>} */
export const ALERT_KINDS = {
  job_died: {
    label: "Jobs die",
    about: "A job has used up its attempts, and nobody has retried or deleted it.",
    recovers: 0,
    parameters: [only("definition"), lasting("within_seconds", "Forget it after", 900)],
    words: ({ definition }) => `A job of ${definition ?? "any definition"} has used up its attempts`,
  },
  failures_in_a_row: {
    label: "Jobs fail in a row",
    about: "The last jobs of a definition all failed.",
    recovers: 0,
    parameters: [only("definition"), counted("n", "How many in a row", 3)],
    words: ({ definition, n }) => `The last ${count(n)} jobs of ${definition ?? "any definition"} all failed`,
  },
  failure_rate: {
    label: "Too many attempts fail",
    about: "So many of a hundred attempts of a definition fail.",
    recovers: 60,
    parameters: [
      only("definition"),
      measured("percent", "Percent", 50),
      lasting("within_seconds", "Looks back", 900, "In whole minutes."),
      counted("min_attempts", "Of at least", 10, "With fewer attempts it says nothing."),
    ],
    words: ({ definition, percent, within_seconds }) =>
      `${percent} % of attempts of ${definition ?? "any definition"} failed within ${sayDuration(within_seconds)}`,
  },
  oldest_queued: {
    label: "Jobs wait too long",
    about: "A job has waited for so long in a queue that is not paused.",
    recovers: 60,
    parameters: [only("queue"), lasting("seconds", "Too long is", 300)],
    words: ({ queue, seconds }) => `A job has waited for ${sayDuration(seconds)} in ${queue ? `queue ${queue}` : "any queue"}`,
  },
  no_worker: {
    label: "No worker",
    about: "Jobs have waited for so long, and no live worker runs them. Of a queue that is named, also when none wait.",
    recovers: 60,
    parameters: [only("queue"), lasting("seconds", "For", 60)],
    words: ({ queue, seconds }) => `No live worker for ${sayDuration(seconds)} for ${queue ? `queue ${queue}` : "jobs that wait"}`,
  },
  missed_fire: {
    label: "Due times are missed",
    about: "A due time of a trigger came to nothing, or nobody fires one that is due.",
    recovers: 0,
    parameters: [
      only("trigger"),
      lasting("within_seconds", "Forget it after", 900),
      lasting("late_seconds", "Late is", 120, "A trigger that is due for so long is missed."),
    ],
    words: ({ trigger, late_seconds }) =>
      `A due time of ${trigger ?? "any trigger"} came to nothing, or is late by ${sayDuration(late_seconds)}`,
  },
  trigger_disabled: {
    label: "Triggers turned off by errors",
    about: "A trigger was turned off by an error, or because its jobs failed.",
    recovers: 0,
    parameters: [only("trigger")],
    words: ({ trigger }) => `An error, or failing jobs, turned off ${trigger ?? "any trigger"}`,
  },
  running_long: {
    label: "Jobs run too long",
    about: "A job runs for so many times its definition's usual time, which is the median of seven days.",
    recovers: 0,
    parameters: [
      only("definition"),
      measured("times", "How many times the usual", 3),
      lasting("min_seconds", "And for at least", 60),
      counted("min_runs", "Of at least", 5, "With fewer runs nothing is usual."),
    ],
    words: ({ definition, times, min_seconds }) =>
      `A job of ${definition ?? "any definition"} runs for ${times} times the usual, and for ${sayDuration(min_seconds)}`,
  },
};

/** What a rule looks for. @param {any} rule */
export const looksFor = (rule) => ALERT_KINDS[rule.kind]?.words(rule.parameters) ?? rule.kind.replaceAll("_", " ");
