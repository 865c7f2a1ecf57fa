import { useEffect, useRef, useState } from "./ui.js";

/**
 * @template T
 * @typedef {object} Debounced
 * @property {T | undefined} answer
 * @property {Error | null} error that of the last key
 * @property {boolean} waiting
 */

/**
 * Ask the server about what is being written, a moment after it was last changed. The last answer stays until there is
 * another, so that nothing jumps.
 * @template T
 * @param {string} key what is asked about; nothing is asked while it is empty
 * @param {(signal: AbortSignal) => Promise<T>} ask
 * @param {number} [pause] milliseconds
 * @returns {Debounced<T>}
 */
export function useDebounced(key, ask, pause = 250) {
  const [last, setLast] = useState(/** @type {{key: string, answer?: T, error: Error | null}} */ ({ key: "", error: null }));
  const latest = useRef(ask);
  latest.current = ask;
  const first = useRef(true);
  useEffect(() => {
    if (!key) return undefined;
    const mine = new AbortController();
    const go = async () => {
      try {
        const answer = await latest.current(mine.signal);
        if (!mine.signal.aborted) setLast({ key, answer, error: null });
      } catch (error) {
        if (!mine.signal.aborted) setLast((before) => ({ ...before, key, error: /** @type {Error} */ (error) }));
      }
    };
    const timer = setTimeout(go, first.current ? 0 : pause);
    first.current = false;
    return () => {
      clearTimeout(timer);
      mine.abort();
    };
  }, [key]);
  return { answer: last.answer, error: last.key === key ? last.error : null, waiting: key !== "" && last.key !== key };
}
