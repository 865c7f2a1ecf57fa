// Settings of a definition as people read and write them. Pure.
import { NO_DURATION, readDuration, writeDuration } from "./durations.js";
import { count, duration, plural } from "./format.js";

/** As the API says, or written here. @typedef {Pick<Api.SettingAnswer, "name" | "label" | "kind"> & Partial<Api.SettingAnswer>} Setting */

/** Settings by their groups, both in the order of the API. @param {Setting[]} settings @returns {[string, Setting[]][]} */
export function grouped(settings) {
  const groups = [...new Set(settings.map(({ group }) => group ?? ""))];
  return groups.map((title) => [title, settings.filter(({ group }) => group === title)]);
}

/** What a definition has for a setting. @param {Api.DefinitionAnswer} definition @param {string} name @returns {unknown} */
export const valueOf = (definition, name) => definition[/** @type {keyof Api.DefinitionAnswer} */ (name)];
/** Whether the setting has an effect as things stand. @param {Setting} setting @param {Api.DefinitionAnswer} definition */
export const matters = (setting, definition) => !setting.needs || valueOf(definition, setting.needs) !== null;

/** @param {Setting} setting @param {unknown} value */
export function showSetting({ kind, none }, value) {
  if (kind === "flag") return value ? "yes" : "no";
  if (value === null) return none ?? "";
  if (kind === "duration") return value === 0 ? "none" : duration(Number(value));
  if (kind === "days") return plural(Number(value), "day");
  if (Array.isArray(value)) return value.join(", ");
  return kind === "count" ? count(Number(value)) : String(value);
}

/** As it stands in a field; a flag has none. @param {Setting} setting @param {unknown} value */
export function writeSetting({ kind }, value) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.join(", ");
  return kind === "duration" ? writeDuration(Number(value)) || "0s" : String(value);
}

/** @param {Setting} setting @param {string | boolean} written @returns {{value?: string | number | boolean | string[] | null, problem?: string}} */
export function readSetting({ kind, none }, written) {
  if (typeof written === "boolean") return { value: written };
  const text = written.trim();
  if (text === "") return none ? { value: null } : { problem: "This field is required." };
  if (kind === "text") return { value: text };
  if (kind === "list") return { value: text.split(",").map((one) => one.trim()) };
  if (kind === "duration") {
    const seconds = readDuration(text);
    return seconds === null ? { problem: NO_DURATION } : { value: seconds };
  }
  const value = Number(text);
  if (Number.isNaN(value)) return { problem: `${text} is not a number.` };
  return kind === "count" && !Number.isInteger(value) ? { problem: `${text} is not a whole number.` } : { value };
}
