// Data of a panel: read when its key changes, again when asked; a skeleton only when it takes a while.
import { connection } from "./live.js";
import { useEffect, useRef, useState } from "./ui.js";

// Nothing for so long, and only then a skeleton.
const PATIENCE = 300;

/**
 * @template T
 * @typedef {object} Resource
 * @property {T | undefined} data what was last read; of the same key only
 * @property {Error | null} error why the last reading failed
 * @property {boolean} slow nothing is there yet, and that for a while
 * @property {() => Promise<void>} reload reads again; what is shown stays meanwhile
 * @property {(change: (data: T) => T) => void} change shows what the reader did; an answer that is on its way is older
 * @property {(change: (data: T) => T) => void} update shows news, which an answer that is on its way may have as well
 */

/**
 * @template T
 * @param {string} key
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @returns {Resource<T>}
 */
export function useResource(key, load) {
  const [kept, keep] = useState(/** @type {{key: string, data?: T, error: Error | null}} */ ({ key, error: null }));
  const [slow, setSlow] = useState(false);
  const latest = useRef(load);
  latest.current = load;
  const reading = useRef(/** @type {AbortController | null} */ (null));

  const reload = async () => {
    reading.current?.abort();
    const mine = (reading.current = new AbortController());
    try {
      const data = await latest.current(mine.signal);
      if (!mine.signal.aborted) keep({ key, data, error: null });
    } catch (error) {
      if (mine.signal.aborted) return;
      keep((before) => ({
        key,
        data: before.key === key ? before.data : undefined,
        error: /** @type {Error} */ (error),
      }));
    }
  };

  useEffect(() => {
    setSlow(false);
    const patience = setTimeout(() => setSlow(true), PATIENCE);
    reload();
    return () => {
      clearTimeout(patience);
      reading.current?.abort();
    };
  }, [key]);

  // What failed while nobody answered is tried again when somebody does.
  const live = connection.value.state === "live";
  useEffect(() => {
    if (live && kept.error) reload();
  }, [live]);

  const mine = kept.key === key ? kept : { data: undefined, error: null };
  const update = (/** @type {(data: T) => T} */ changed) =>
    keep((before) => (before.data === undefined ? before : { ...before, data: changed(before.data) }));
  const change = (/** @type {(data: T) => T} */ changed) => {
    if (mine.data !== undefined) reading.current?.abort();
    update(changed);
  };
  const isSlow = slow && mine.data === undefined && !mine.error;
  return { data: mine.data, error: mine.error, slow: isSlow, reload, change, update };
}

/**
 * Shows a row that the reader changed in the list where it stands.
 * @template T
 * @param {Resource<Page<T>>} resource
 * @param {keyof T} id by which a row is known
 * @param {T} changed
 */
export const showRow = (resource, id, changed) =>
  resource.change((page) => ({ ...page, items: page.items.map((row) => (row[id] === changed[id] ? changed : row)) }));

/**
 * Call something when a signal changes, at most so often; not the first time.
 * @param {import("@preact/signals").ReadonlySignal<number>} signal
 * @param {() => void} call
 * @param {number} [pause] milliseconds
 */
export function useWhenChanged(signal, call, pause = 2000) {
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => {
    let first = true;
    // What is shown is just being read: the first change waits a little, too.
    let last = Date.now() - pause + Math.min(pause, 2000);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let waiting;
    const stop = signal.subscribe(() => {
      if (first) {
        first = false;
        return;
      }
      clearTimeout(waiting);
      const go = () => {
        last = Date.now();
        latest.current();
      };
      waiting = setTimeout(go, Math.max(0, last + pause - Date.now()));
    });
    return () => {
      clearTimeout(waiting);
      stop();
    };
  }, []);
}

/** Call something every so often while the page is seen: for what the stream does not tell. @param {() => void} call @param {number} pause milliseconds */
export function useEvery(call, pause) {
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && latest.current(), pause);
    return () => clearInterval(timer);
  }, [pause]);
}
