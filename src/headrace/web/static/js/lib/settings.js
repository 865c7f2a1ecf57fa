// Settings of a definition as people read and write them. Pure.
import { NO_DURATION, readDuration, writeDuration } from "./durations.js";
import { count, duration, plural } from "./format.js";

/** @typedef {"count" | "days" | "number" | "duration" | "text" | "flag"} SettingKind */
/**
 * @typedef {object} Setting
 * @property {string} name as the API has it
 * @property {string} label
 * @property {SettingKind} kind
 * @property {string} [none] what null means; without it a value is needed
 * @property {string} [hint]
 * @property {string} [with] another, without which it says nothing
 */

/** @type {Record<string, Setting[]>} */
export const GROUPS = {
  Limits: [
    { name: "max_concurrency", label: "At once", kind: "count", none: "no limit", hint: "Over all workers." },
    {
      name: "concurrency_key",
      label: "Key",
      kind: "text",
      none: "none",
      hint: "What of a payload makes jobs count together, such as provider.id.",
    },
    { with: "concurrency_key", name: "max_concurrency_per_key", label: "At once, per key", kind: "count", none: "no limit" },
    { name: "rate_limit", label: "Starts", kind: "count", none: "no limit", hint: "In each period." },
    { with: "rate_limit", name: "rate_period_seconds", label: "Period", kind: "duration" },
    { with: "rate_limit", name: "rate_burst", label: "Burst", kind: "count", none: "as many as the limit", hint: "Starts at once, after a rest." },
    { with: "rate_limit", name: "rate_per_key", label: "Rate per key", kind: "flag" },
  ],
  Attempts: [
    { name: "max_attempts", label: "Attempts", kind: "count" },
    { name: "timeout_seconds", label: "Timeout", kind: "duration", none: "none" },
    { name: "retry_base_seconds", label: "First wait", kind: "duration", hint: "It doubles with each attempt." },
    { name: "retry_cap_seconds", label: "Longest wait", kind: "duration" },
    { name: "retry_jitter_seconds", label: "Spread", kind: "duration" },
  ],
  "Where and how long": [
    { name: "queue", label: "Queue", kind: "text" },
    { name: "priority", label: "Priority", kind: "count" },
    { name: "retention_days", label: "History", kind: "days", none: "as configured", hint: "Days for which ended jobs stay." },
    { name: "retention_count", label: "Always keep", kind: "count", none: "as configured", hint: "The last ended jobs." },
  ],
};

/** Whether it says anything as things stand. @param {Setting} setting @param {any} definition */
export const matters = (setting, definition) => setting.with === undefined || definition[setting.with] !== null;

/** @param {Setting} setting @param {any} value */
export function showSetting({ kind, none }, value) {
  if (kind === "flag") return value ? "yes" : "no";
  if (value === null) return none ?? "";
  if (kind === "duration") return value === 0 ? "none" : duration(value);
  if (kind === "days") return plural(value, "day");
  return kind === "count" ? count(value) : String(value);
}

/** As it stands in a field. @param {Setting} setting @param {any} value */
export function writeSetting({ kind }, value) {
  if (kind === "flag") return value;
  if (value === null || value === undefined) return "";
  return kind === "duration" ? writeDuration(value) || "0s" : String(value);
}

/** @param {Setting} setting @param {any} written @returns {{value?: any, problem?: string}} */
export function readSetting({ kind, none }, written) {
  if (kind === "flag") return { value: written };
  const text = written.trim();
  if (text === "") return none ? { value: null } : { problem: "This is needed." };
  if (kind === "text") return { value: text };
  if (kind === "duration") {
    const seconds = readDuration(text);
    return seconds === null ? { problem: NO_DURATION } : { value: seconds };
  }
  const value = Number(text);
  if (Number.isNaN(value)) return { problem: `${text} is no number.` };
  return kind === "count" && !Number.isInteger(value) ? { problem: `${text} is no whole number.` } : { value };
}
