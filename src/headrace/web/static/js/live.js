// The one stream of what changes. Whoever shows jobs listens here; nobody polls what it tells.
import { Refused, request } from "./api.js";
import { serverNow } from "./clock.js";
import { readEvents } from "./lib/events.js";
import { signal } from "./ui.js";

/** @typedef {{state: "connecting" | "live" | "offline", since: number, retryAt: number}} Connection */

/** @type {import("@preact/signals").Signal<Connection>} */
export const connection = signal({ state: "connecting", since: 0, retryAt: 0 });
/** Counts up when more has changed than the stream can name: then read again what you show. */
export const changedMuch = signal(0);
/** Counts up when the numbers of jobs have changed. */
export const counted = signal(0);

/** @type {Set<(jobs: Api.JobRecord[]) => void>} */
const listeners = new Set();
// Longer than three heartbeats of the server: then the line is dead, whatever the browser thinks.
const SILENCE = 50_000;
const LONGEST_PAUSE = 30_000;

/** Be told of jobs that changed, in batches. @param {(jobs: Api.JobRecord[]) => void} listener @returns {() => void} */
export function onJobs(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @type {AbortController | null} */
let current = null;
/** @type {string | null} */
let heardTo = null;
let failures = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;

/** Follow the stream from now; a hidden page stops reading, and catches up when it is shown. */
export function startLive() {
  stopLive();
  heardTo = null;
  failures = 0;
  document.addEventListener("visibilitychange", showOrHide);
  addEventListener("online", follow);
  follow();
}

export function stopLive() {
  document.removeEventListener("visibilitychange", showOrHide);
  removeEventListener("online", follow);
  letGo();
}

const showOrHide = () => (document.hidden ? letGo() : follow());

function letGo() {
  clearTimeout(waiting);
  current?.abort();
  current = null;
}

/** Try now, and not only when the time has come. */
export function follow() {
  clearTimeout(waiting);
  if (current !== null || document.hidden) return;
  const mine = (current = new AbortController());
  listen(mine).catch((error) => {
    if (current !== mine) return;
    current = null;
    if (error instanceof Refused && error.status === 401) return;
    waitAndFollow();
  });
}

function waitAndFollow() {
  failures += 1;
  // The first time at once: a server that restarts lets everybody go.
  const pause = failures === 1 ? 500 : Math.min(LONGEST_PAUSE, 1000 * 2 ** (failures - 1)) * (0.75 + Math.random() / 2);
  if (failures > 1) {
    const since = connection.peek().state === "offline" ? connection.peek().since : serverNow();
    connection.value = { state: "offline", since, retryAt: serverNow() + pause };
  }
  waiting = setTimeout(follow, pause);
}

/** @param {AbortController} mine */
async function listen(mine) {
  /** @type {Record<string, string>} */
  const headers = heardTo === null ? {} : { "Last-Event-ID": heardTo };
  const response = await request("GET", "/stream", { signal: mine.signal, headers });
  const wasOffline = connection.peek().state === "offline";
  failures = 0;
  connection.value = { state: "live", since: serverNow(), retryAt: 0 };
  if (wasOffline) changedMuch.value += 1;
  let silence = setTimeout(() => mine.abort(), SILENCE);
  /** @type {Api.JobRecord[]} */
  let jobs = [];
  try {
    for await (const event of readEvents(response)) {
      clearTimeout(silence);
      silence = setTimeout(() => mine.abort(), SILENCE);
      if (event === null) continue;
      if (event.name === "job") jobs.push(/** @type {Api.JobRecord} */ (event.data));
      if (event.name === "summary") {
        counted.value += 1;
        if (/** @type {{many: boolean}} */ (event.data).many) changedMuch.value += 1;
      }
      // The last event of a batch has its place.
      if (event.id !== null) {
        heardTo = event.id;
        if (jobs.length > 0) for (const listener of listeners) listener(jobs);
        jobs = [];
      }
    }
  } finally {
    clearTimeout(silence);
  }
  throw new Error("The stream ended.");
}
