// Settings of a definition as people read and write them. Pure.
import { NO_DURATION, readDuration, writeDuration } from "./durations.js";
import { count, duration, plural } from "./format.js";

/** @typedef {"count" | "days" | "number" | "duration" | "text" | "flag" | "id" | "list"} SettingKind */
/**
 * @typedef {object} Setting
 * @property {string} name as the API has it
 * @property {string} label
 * @property {SettingKind} kind
 * @property {string | null} [none] what null means; without it a value is needed
 * @property {any} [default]
 * @property {string} [help]
 * @property {string} [group]
 * @property {string | null} [needs] another, without which this one has no effect
 */

/** Settings by their groups, both in the order of the API. @param {Setting[]} settings @returns {[string, Setting[]][]} */
export function grouped(settings) {
  const groups = [...new Set(settings.map(({ group }) => group ?? ""))];
  return groups.map((title) => [title, settings.filter(({ group }) => group === title)]);
}

/** Whether the setting has an effect as things stand. @param {Setting} setting @param {any} definition */
export const matters = (setting, definition) => !setting.needs || definition[setting.needs] !== null;

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
