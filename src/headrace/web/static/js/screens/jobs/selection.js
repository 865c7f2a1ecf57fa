import { useState } from "../../ui.js";

/** Rows that are chosen, and the one that the keys are at. */
export function useSelection() {
  const [ids, setIds] = useState(/** @type {Set<string>} */ (new Set()));
  const [cursor, setCursor] = useState(/** @type {string | null} */ (null));
  const [last, setLast] = useState(/** @type {string | null} */ (null));
  return {
    ids,
    cursor,
    setCursor,
    clear: () => setIds(new Set()),
    /** @param {string} id */
    toggle(id) {
      const next = new Set(ids);
      if (!next.delete(id)) next.add(id);
      setIds(next);
      setLast(id);
    },
    /** From the last one toggled to here. @param {string} id @param {Api.JobRecord[]} jobs */
    toHere(id, jobs) {
      const [a, b] = [jobs.findIndex((job) => job.id === (last ?? id)), jobs.findIndex((job) => job.id === id)].sort(
        (x, y) => x - y,
      );
      setIds(new Set([...ids, ...jobs.slice(Math.max(0, a), b + 1).map((job) => job.id)]));
      setLast(id);
    },
    /** @param {Api.JobRecord[]} jobs @param {boolean} on */
    all: (jobs, on) => setIds(on ? new Set(jobs.map((job) => job.id)) : new Set()),
  };
}

/** @typedef {ReturnType<typeof useSelection>} Selection */
