// Lines of a job, read and then followed. They are held in one list, to which batches are added a few times a second.
import { request } from "../../api.js";
import { readEvents } from "../../lib/events.js";
import { useEffect, useRef, useState } from "../../ui.js";

export const MOST_LINES = 50_000;
const EVERY = 150;
const AGAIN_AFTER = 2000;

/** @param {Api.JobRecord} job */
export function useLines(job) {
  const [lines, setLines] = useState(/** @type {Api.LineAnswer[]} */ ([]));
  const [state, setState] = useState(
    /** @type {{ended: boolean, error: Error | null}} */ ({ ended: false, error: null }),
  );
  const [turn, setTurn] = useState(0);
  const place = useRef(/** @type {string | null} */ (null));
  const all = useRef(/** @type {Api.LineAnswer[]} */ ([]));
  // A retry opens a log that had ended.
  const isOver = ["succeeded", "failed", "canceled", "dead_letter"].includes(job.status);

  useEffect(() => {
    const gone = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let showing;
    const show = () => {
      showing = undefined;
      if (all.current.length > MOST_LINES) all.current = all.current.slice(-MOST_LINES);
      setLines([...all.current]);
    };
    const read = async () => {
      setState({ ended: false, error: null });
      const values = { job_id: job.id, follow: true, after: place.current };
      const response = await request("GET", "/jobs/{job_id}/logs", { values, signal: gone.signal });
      for await (const event of readEvents(response)) {
        if (event?.name === "line") {
          all.current.push(/** @type {Api.LineAnswer} */ (event.data));
          place.current = event.id;
          showing ??= setTimeout(show, EVERY);
        } else if (event?.name === "end") {
          clearTimeout(showing);
          show();
          return setState({ ended: true, error: null });
        }
      }
      // Cut off in the middle: go on from the last line heard.
      setTimeout(() => !gone.signal.aborted && setTurn((n) => n + 1), AGAIN_AFTER);
    };
    read().catch((error) => !gone.signal.aborted && setState({ ended: false, error }));
    return () => {
      gone.abort();
      clearTimeout(showing);
    };
  }, [job.id, isOver, turn]);

  return { lines, ...state, again: () => setTurn((n) => n + 1), cut: lines.length >= MOST_LINES };
}
