// Times as clocks in a named zone show them: a trigger's own, and not the reader's. Pure.

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** A zone that this browser does not know is shown as UTC. @param {string} tz @param {Intl.DateTimeFormatOptions} options */
function format(tz, options) {
  const key = tz + JSON.stringify(options);
  let made = formats.get(key);
  if (!made) {
    try {
      made = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: tz });
    } catch {
      made = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
    }
    formats.set(key, made);
  }
  return made;
}

/** `Sun 8 Mar`. @param {number} at @param {string} tz */
export const dayIn = (at, tz) =>
  format(tz, { weekday: "short", day: "numeric", month: "short" }).format(at).replace(",", "");

/** `02:30`, with seconds where there are some. @param {number} at @param {string} tz */
export const timeIn = (at, tz) =>
  format(tz, {
    hour: "2-digit",
    minute: "2-digit",
    second: at % 60_000 === 0 ? undefined : "2-digit",
    hourCycle: "h23",
  }).format(at);

/** `EST`, or `GMT+1`. @param {number} at @param {string} tz */
export const zoneNameIn = (at, tz) =>
  new Intl.DateTimeFormat("en-US", { timeZone: known(tz), timeZoneName: "short" })
    .formatToParts(at)
    .find((part) => part.type === "timeZoneName")?.value ?? tz;

/** @param {string} tz */
export const known = (tz) => format(tz, {}).resolvedOptions().timeZone;

/** The zones of this browser, with UTC first. */
export const allZones = () => ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")];

/** The reader's own. */
export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** How far clocks of a zone are ahead of UTC then, in milliseconds. @param {number} at @param {string} tz */
function ahead(at, tz) {
  const shown = format(tz, {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    hourCycle: "h23",
  }).formatToParts(at);
  const { year, month, day, hour, minute, second } = Object.fromEntries(shown.map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

/** What a field for a time holds, by clocks of a zone: `2026-03-05T14:31`. @param {number} at @param {string} tz */
export const writeMoment = (at, tz) => new Date(at + ahead(at, tz)).toISOString().slice(0, at % 60_000 < 1000 ? 16 : 19);

/** The instant that such a field means, or null. @param {string} text @param {string} tz */
export function readMoment(text, tz) {
  const shown = Date.parse(`${text}Z`);
  // Clocks may change between the first guess and the instant itself, so it is asked again there.
  return Number.isNaN(shown) ? null : shown - ahead(shown - ahead(shown, tz), tz);
}
