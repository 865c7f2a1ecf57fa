// How a definition stands, in a word; the worst first. Pure.

/** @param {any} one as operators see it @returns {{word: string, bad: boolean}} */
export function stateOf(one) {
  if (one.deleted_from_code_at) return { word: "deleted from code", bad: true };
  if (!one.enabled) return { word: "disabled", bad: true };
  if (one.paused) return { word: "paused", bad: true };
  if (one.workers.length === 0) return { word: "no worker", bad: true };
  return { word: "ready", bad: false };
}
