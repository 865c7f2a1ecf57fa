// Pages of lines, read on until there are enough to see; and those that come, while somebody follows.
import { api } from "../../api.js";
import { serverNow } from "../../clock.js";
import { useEffect, useRef, useState } from "../../ui.js";

/** @typedef {{query: string, level: string, definition: string, span: string}} Wanted */
/** @typedef {{lines: Api.HitAnswer[], cursor: string | null, searchedTo: string | null, error: Error | null, busy: boolean}} Found */

export const SPANS = /** @type {Record<string, number>} */ ({
  "": 0,
  "15m": 900,
  "1h": 3600,
  "24h": 86_400,
  "7d": 604_800,
});
const PAGE = 100;
// A search answers within a moment, found or not: so often it is asked to go on before the reader is.
const MOST_TURNS = 20;
const MOST_LINES = 2000;
const EVERY = 1500;
const PATIENCE = 300;
// Lines of one moment may come in two batches.
const AGAIN = 2000;

/** @type {Found} */
const NONE = { lines: [], cursor: null, searchedTo: null, error: null, busy: true };

/** @param {Wanted} wanted @param {boolean} tail */
export function useHits(wanted, tail) {
  const key = JSON.stringify(wanted);
  const [found, setFound] = useState(NONE);
  const [slow, setSlow] = useState(false);
  const [turn, setTurn] = useState(0);
  const latest = useRef(found);
  latest.current = found;

  const ask = (/** @type {Partial<Api.Get["/logs"]["values"]>} */ more, /** @type {AbortSignal} */ signal) => {
    const { query, level, definition, span } = wanted;
    const since = SPANS[span] ? new Date(serverNow() - SPANS[span] * 1000).toISOString() : undefined;
    return api.get("/logs", { query, level: Number(level) || null, definition, since, limit: PAGE, ...more }, signal);
  };
  const readOn = async (/** @type {Found} */ from, /** @type {AbortSignal} */ signal) => {
    let { lines, cursor } = from;
    const enough = lines.length + PAGE;
    try {
      for (let n = 0; n < MOST_TURNS; n++) {
        const page = await ask({ cursor, limit: enough - lines.length }, signal);
        lines = union(lines, page.items);
        cursor = page.next_cursor ?? null;
        const over = !cursor || lines.length >= enough || n === MOST_TURNS - 1;
        setFound({ lines, cursor, searchedTo: cursor ? page.searched_to : null, error: null, busy: !over });
        if (over) return;
      }
    } catch (error) {
      if (!signal.aborted) setFound({ ...latest.current, error: /** @type {Error} */ (error), busy: false });
    }
  };
  const reading = useRef(new AbortController());
  useEffect(() => {
    const mine = (reading.current = new AbortController());
    setFound(NONE);
    setSlow(false);
    const patience = setTimeout(() => setSlow(true), PATIENCE);
    readOn(NONE, mine.signal);
    return () => {
      clearTimeout(patience);
      mine.abort();
    };
  }, [key, turn]);
  useEffect(() => {
    if (!tail) return undefined;
    const gone = new AbortController();
    const look = async () => {
      if (document.hidden || latest.current.busy) return;
      const newest = latest.current.lines[0];
      const since = newest ? new Date(Date.parse(newest.at) - AGAIN).toISOString() : undefined;
      const page = await ask(since ? { since } : {}, gone.signal).catch(() => null);
      if (page && !gone.signal.aborted)
        setFound((now) => ({ ...now, lines: union(page.items, now.lines).slice(0, MOST_LINES), error: null }));
    };
    const timer = setInterval(look, EVERY);
    return () => {
      clearInterval(timer);
      gone.abort();
    };
  }, [key, tail]);
  return {
    ...found,
    slow,
    again: () => setTurn((n) => n + 1),
    more: () => readOn(latest.current, reading.current.signal),
  };
}

/** Each line once, newest first. @param {Api.HitAnswer[]} a @param {Api.HitAnswer[]} b @returns {Api.HitAnswer[]} */
function union(a, b) {
  const all = new Map([...a, ...b].map((line) => [`${line.job_id} ${line.run} ${line.seq}`, line]));
  return [...all.values()].sort((x, y) => Date.parse(y.at) - Date.parse(x.at) || y.run - x.run || y.seq - x.seq);
}
