// Figures and times as people read them. Pure, but for the zone of the reader.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
// Days from which hours do not matter.
const WEEK = 7;

/** @param {number} n */
const two = (n) => String(n).padStart(2, "0");

/**
 * How long something took: `11 ms`, `0.24 s`, `30.0 s`, `4 m 12 s`.
 * @param {number | null | undefined} seconds
 */
export function duration(seconds) {
  if (seconds == null || !Number.isFinite(seconds)) return "";
  if (seconds < 0.0995) return `${Math.max(0, Math.round(seconds * 1000))} ms`;
  if (seconds < 0.995) return `${seconds.toFixed(2)} s`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  return span(seconds);
}

/**
 * A stretch of whole seconds: `20 s`, `4 m 12 s`, `3 h 05 m`, `2 d 4 h`, `40 d`.
 * @param {number} seconds
 */
export function span(seconds) {
  const s = Math.max(0, Math.round(seconds));
  if (s < MINUTE) return `${s} s`;
  if (s < HOUR) return `${Math.floor(s / MINUTE)} m ${two(s % MINUTE)} s`;
  if (s < DAY) return `${Math.floor(s / HOUR)} h ${two(Math.floor((s % HOUR) / MINUTE))} m`;
  const days = Math.floor(s / DAY);
  return days < WEEK ? `${days} d ${Math.floor((s % DAY) / HOUR)} h` : `${days} d`;
}

/**
 * A time as seen from now: `20 s ago`, `in 12 m 00 s`.
 * @param {number} at milliseconds
 * @param {number} now milliseconds
 */
export function relative(at, now) {
  const seconds = Math.round((now - at) / 1000);
  if (Math.abs(seconds) < 1) return "now";
  return seconds < 0 ? `in ${span(-seconds)}` : `${span(seconds)} ago`;
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** `6,391`. @param {number | null | undefined} n */
export const count = (n) => (n == null ? "" : whole.format(n));

/**
 * A count that stops at a bound: `10,000+`.
 * @param {number} n
 * @param {boolean} capped
 */
export const capped = (n, capped) => (capped ? `${count(n)}+` : count(n));

/** `1 job`, `3 jobs`. @param {number} n @param {string} noun @param {string} [plural] */
export const plural = (n, noun, plural = `${noun}s`) => `${count(n)} ${n === 1 ? noun : plural}`;

/** `57.7 %`; 100 only when it is all. @param {number} part @param {number} all */
export function share(part, all) {
  if (!all) return "";
  const percent = (100 * part) / all;
  if (part === all || part === 0) return `${percent.toFixed(0)} %`;
  return `${Math.min(99.9, Math.max(0.1, percent)).toFixed(1)} %`;
}

/** @typedef {"local" | "UTC"} Zone */

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {Zone} zone @param {Intl.DateTimeFormatOptions} options */
function format(zone, options) {
  const key = zone + JSON.stringify(options);
  let made = formats.get(key);
  if (!made) {
    made = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone === "UTC" ? "UTC" : undefined });
    formats.set(key, made);
  }
  return made;
}

/** `Thu 5 March 2026, 14:31:58 CET`. @param {number} at @param {Zone} zone */
export function absolute(at, zone) {
  const parts = Object.fromEntries(
    format(zone, {
      weekday: "short",
      day: "numeric",
      month: "long",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
      timeZoneName: "short",
    })
      .formatToParts(at)
      .map((part) => [part.type, part.value]),
  );
  const { weekday, day, month, year, hour, minute, second, timeZoneName } = parts;
  return `${weekday} ${day} ${month} ${year}, ${hour}:${minute}:${second} ${timeZoneName}`;
}

/** `14:31:58`. @param {number} at @param {Zone} zone */
export const clock = (at, zone) =>
  format(zone, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(at);

/** `14:31`. @param {number} at @param {Zone} zone */
export const hourMinute = (at, zone) =>
  format(zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at);

/** `14:31:58.640`. @param {number} at @param {Zone} zone */
export const precise = (at, zone) => `${clock(at, zone)}.${String(Math.floor(at % 1000)).padStart(3, "0")}`;

/** `5 Mar`. @param {number} at @param {Zone} zone */
export const dayMonth = (at, zone) => format(zone, { day: "numeric", month: "short" }).format(at);

/** The end of an id, which tells jobs apart: `…e41c`. @param {string} id */
export const shortId = (id) => `…${id.slice(-4)}`;

/** A status as it is said: `dead letter`. @param {string} status */
export const statusWord = (status) => status.replaceAll("_", " ");

/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
/** What the server says, as a sentence. @param {string} text */
export const sentence = (text) => `${capital(text)}${text.endsWith(".") ? "" : "."}`;

/** `312 MB`. @param {number} n */
export function bytes(n) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, n)) / 3));
  return `${(n / 1000 ** power).toFixed(power && n / 1000 ** power < 10 ? 1 : 0)} ${units[power]}`;
}
