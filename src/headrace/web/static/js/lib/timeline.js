// The story of a job as stretches of time, one after another.

/** @typedef {"waiting" | "backoff" | "failed" | "running" | "succeeded" | "stopped"} PhaseKind */
/** @typedef {{kind: PhaseKind, from: number, to: number, run?: number, word: string}} Phase */

const WORDS = /** @type {Record<string, [PhaseKind, string]>} */ ({
  succeeded: ["succeeded", "succeeded"],
  failed: ["failed", "failed"],
  timed_out: ["failed", "timed out"],
  retried: ["failed", "failed"],
  lost: ["failed", "worker lost"],
  canceled: ["stopped", "canceled"],
  snoozed: ["stopped", "snoozed"],
  released: ["stopped", "given back"],
});

/** How an outcome is said. @param {string} outcome */
export const outcomeWord = (outcome) => WORDS[outcome]?.[1] ?? outcome.replaceAll("_", " ");
/** @param {string} outcome @returns {PhaseKind} */
export const outcomeKind = (outcome) => WORDS[outcome]?.[0] ?? "stopped";

/**
 * @param {Api.JobRecord} job
 * @param {Api.AttemptAnswer[]} attempts
 * @param {number} now
 * @param {boolean} more whether there were attempts before these
 * @returns {Phase[]}
 */
export function phases(job, attempts, now, more) {
  /** @type {Phase[]} */
  const found = [];
  let reached = Date.parse(job.created_at);
  const upTo = (
    /** @type {number} */ to,
    /** @type {PhaseKind} */ kind,
    /** @type {string} */ word,
    /** @type {number} */ run = 0,
  ) => {
    if (to > reached) found.push({ kind, from: reached, to, word, run });
    reached = Math.max(reached, to);
  };
  const begin = (
    /** @type {string | null} */ queued,
    /** @type {string | null} */ started,
    /** @type {boolean} */ first,
  ) => {
    if (queued) upTo(Date.parse(queued), "backoff", first ? (more ? "earlier attempts" : "scheduled") : "backoff");
    if (started) upTo(Date.parse(started), "waiting", "waited");
  };
  for (const [i, attempt] of attempts.entries()) {
    begin(attempt.queued_at, attempt.started_at, i === 0);
    upTo(Date.parse(attempt.finished_at), outcomeKind(attempt.outcome), outcomeWord(attempt.outcome), attempt.run);
  }
  if (job.status === "running") {
    begin(job.queued_at, job.started_at, attempts.length === 0);
    upTo(now, "running", "running", job.run);
  } else if (job.status === "queued") {
    begin(job.queued_at, null, attempts.length === 0);
    upTo(now, "waiting", "waits");
  } else if (job.status === "scheduled") upTo(now, "backoff", attempts.length === 0 ? "scheduled" : "backoff");
  return found;
}
