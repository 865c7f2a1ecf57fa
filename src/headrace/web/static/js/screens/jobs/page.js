// A page of jobs that stays as they are: rows change in place, new ones come on top unless the reader is at something.
import { api } from "../../api.js";
import { openMenus } from "../../components/menu.js";
import { fits } from "../../lib/query.js";
import { changedMuch, onJobs } from "../../live.js";
import { useResource, useWhenChanged } from "../../resource.js";
import { useEffect, useRef, useState } from "../../ui.js";

const PAGE = 50;
// Who has scrolled further is reading.
const SCROLLED = 80;

/** @type {Api.JobsAnswer} */
const NONE = { items: [] };

/** @param {{key: string, filterNow: () => Api.BulkFilter, cursor: string, valid: boolean, busy: boolean}} wanted */
export function useLivePage({ key, filterNow, cursor, valid, busy }) {
  const read = useResource(key, (signal) =>
    valid
      ? api.get("/jobs", { ...filterNow(), limit: PAGE, cursor }, signal)
      : Promise.resolve(NONE),
  );
  const [newer, setNewer] = useState(/** @type {Api.JobRecord[]} */ ([]));
  const state = useRef({ busy, cursor, filterNow, items: /** @type {Api.JobRecord[]} */ ([]) });
  state.current = { busy, cursor, filterNow, items: read.data?.items ?? [] };
  useEffect(() => setNewer([]), [key]);

  const put = (/** @type {Api.JobRecord[]} */ jobs) =>
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
    jobs: read.data?.items,
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

/** @typedef {ReturnType<typeof useLivePage>} LivePage */

const isReading = () => scrollY > SCROLLED || openMenus.count > 0;

/** Of jobs that are older than the page shows, others come first. @param {Api.JobRecord} job @param {Api.JobRecord[]} items */
const isNewer = (job, items) => items.length < PAGE || job.id > items[items.length - 1].id;

/** @param {Api.JobRecord[]} before @param {Api.JobRecord[]} fresh */
function union(before, fresh) {
  const all = new Map([...before, ...fresh].map((job) => [job.id, job]));
  return [...all.values()];
}

/**
 * @param {Api.JobRecord[]} items
 * @param {Api.JobRecord[]} changed
 * @param {Api.BulkFilter} filter
 * @param {boolean} busy
 * @returns {Api.JobRecord[]}
 */
function merge(items, changed, filter, busy) {
  const known = new Map(items.map((job) => [job.id, job]));
  const grown = changed.some((job) => !known.has(job.id));
  for (const job of changed) known.set(job.id, job);
  // What no longer belongs here leaves, unless the reader has a hand on it.
  const all = [...known.values()].filter((job) => busy || fits(job, filter));
  return grown ? all.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, PAGE) : all;
}
