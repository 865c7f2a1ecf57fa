// Durations as people write them: `30s`, `5m`, `1.5h`. Pure.

const UNITS = /** @type {[string, number][]} */ ([
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
  ["s", 1],
]);
export const NO_DURATION = "Use a duration, for example 30s or 5m.";

/** Seconds; nought when it is empty, null when it is none. @param {string} text */
export function readDuration(text) {
  if (!text.trim()) return 0;
  const found = text.trim().match(/^(\d+(?:\.\d+)?)\s*([smhd])$/);
  const unit = UNITS.find(([name]) => name === found?.[2]);
  return found && unit ? Number(found[1]) * unit[1] : null;
}

/** In the largest unit that comes out even; empty for none. @param {number | null | undefined} seconds */
export function writeDuration(seconds) {
  if (!seconds) return "";
  const [name, size] = UNITS.find(([, size]) => seconds % size === 0) ?? ["s", 1];
  return `${seconds / size}${name}`;
}

/** The same as it is read: `15 m`. @param {number} seconds */
export const sayDuration = (seconds) => (writeDuration(seconds) || "0s").replace(/(?=.$)/, " ");
