// What this browser remembers. Where storage is switched off it remembers nothing, and all else goes on.

const PREFIX = "headrace.";

/** @template T @param {string} key @param {T} otherwise @returns {T} */
export function recall(key, otherwise) {
  try {
    const kept = localStorage.getItem(PREFIX + key);
    return kept === null ? otherwise : JSON.parse(kept);
  } catch {
    return otherwise;
  }
}

/** @param {string} key @param {unknown} value */
export function remember(key, value) {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // As if it had been forgotten.
  }
}
