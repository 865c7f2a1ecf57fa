import { useKeys } from "../keyboard.js";

/**
 * `j` and `k` go from row to row: what is marked `data-row` has the focus, so that Enter opens it.
 * @param {string} noun
 */
export function useRowKeys(noun) {
  const move = (/** @type {number} */ by) => {
    const rows = [...document.querySelectorAll("[data-row]")];
    const at = rows.indexOf(/** @type {Element} */ (document.activeElement));
    const to = at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by));
    /** @type {HTMLElement | undefined} */ (rows[to])?.focus();
  };
  useKeys([
    { keys: "j", says: `Next ${noun}`, does: () => move(1) },
    { keys: "k", says: `${noun[0].toUpperCase()}${noun.slice(1)} before`, does: () => move(-1) },
  ]);
}
