// How a definition stands, in a word; the worst first. Pure.

/** @param {Api.InspectedDefinition} definition @returns {{word: string, bad: boolean}} */
export function stateOf(definition) {
  if (definition.deleted_from_code_at) return { word: "deleted from code", bad: true };
  if (!definition.enabled) return { word: "disabled", bad: true };
  if (definition.paused) return { word: "paused", bad: true };
  if (definition.workers.length === 0) return { word: "no worker", bad: true };
  return { word: "ready", bad: false };
}
