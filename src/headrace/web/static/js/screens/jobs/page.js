// A page of jobs that stays as they are: rows change in place, new ones come on top unless the reader is at something.
import { api } from "../../api.js";
import { openMenus } from "../../components/menu.js";
import { fits } from "../../lib/query.js";
import { changedMuch, onJobs } from "../../live.js";
import { useResource, useWhenChanged } from "../../resource.js";
import { useEffect, useRef, useState } from "../../ui.js";

/** @typedef {import("../../types.js").Job} Job */

const PAGE = 50;
// Who has scrolled further is reading.
const SCROLLED = 80;

/** @param {{key: string, filterNow: () => Record<string, any>, cursor: string, valid: boolean, busy: boolean}} how */
export function useLivePage({ key, filterNow, cursor, valid, busy }) {
  const read = useResource(key, (signal) =>
    valid
      ? api.get("/jobs", { ...filterNow(), limit: PAGE, cursor }, signal)
      : Promise.resolve({ items: [], next_cursor: null }),
  );
  const [newer, setNewer] = useState(/** @type {Job[]} */ ([]));
  const state = useRef({ busy, cursor, filterNow, items: /** @type {Job[]} */ ([]) });
  state.current = { busy, cursor, filterNow, items: read.data?.items ?? [] };
  useEffect(() => setNewer([]), [key]);

  const put = (/** @type {Job[]} */ jobs) =>
    read.update((data) => ({ ...data, items: merge(data.items, jobs, state.current.filterNow(), state.current.busy) }));

  useEffect(
    () =>
      onJobs((changed) => {
        const { items, filterNow: filter, cursor: at } = state.current;
        const known = new Set(items.map((job) => job.id));
        put(changed.filter((job) => known.has(job.id)));
        // An older page is history: nothing new comes to it.
        const fresh = at
          ? []
          : changed.filter((job) => !known.has(job.id) && isNewer(job, items) && fits(job, filter()));
        if (fresh.length === 0) return;
        if (state.current.busy || isReading()) setNewer((before) => union(before, fresh));
        else put(fresh);
      }),
    [key],
  );
  useWhenChanged(changedMuch, () => {
    if (!state.current.busy && !isReading()) read.reload();
  });

  return {
    jobs: /** @type {Job[] | undefined} */ (read.data?.items),
    next: read.data?.next_cursor,
    searchedTo: read.data?.searched_to,
    newer: newer.length,
    showNewer: () => {
      put(newer);
      setNewer([]);
      scrollTo({ top: 0 });
    },
    put,
    error: read.error,
    slow: read.slow,
    reload: read.reload,
  };
}

const isReading = () => scrollY > SCROLLED || openMenus.count > 0;

/** Of jobs that are older than the page shows, others come first. @param {Job} job @param {Job[]} items */
const isNewer = (job, items) => items.length < PAGE || job.id > items[items.length - 1].id;

/** @param {Job[]} before @param {Job[]} fresh */
function union(before, fresh) {
  const all = new Map([...before, ...fresh].map((job) => [job.id, job]));
  return [...all.values()];
}

/**
 * @param {Job[]} items
 * @param {Job[]} changed
 * @param {Record<string, any>} filter
 * @param {boolean} busy
 * @returns {Job[]}
 */
function merge(items, changed, filter, busy) {
  const known = new Map(items.map((job) => [job.id, job]));
  const grown = changed.some((job) => !known.has(job.id));
  for (const job of changed) known.set(job.id, job);
  // What no longer belongs here leaves, unless the reader has a hand on it.
  const all = [...known.values()].filter((job) => busy || fits(job, filter));
  return grown ? all.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, PAGE) : all;
}
