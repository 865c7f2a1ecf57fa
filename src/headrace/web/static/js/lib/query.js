// Qualified search: `definition:sync status:failed error:"timed out" after:2h`, and what it asks the API for.

/** @typedef {{name: string, value: string}} Term */
/** @typedef {{terms: Term[], rest: string}} Query rest: words without a qualifier, sought in errors */

/**
 * What may be asked, in the order of suggestions.
 * @type {Record<string, {says: string, param: string, many?: boolean}>}
 */
export const QUALIFIERS = {
  definition: { says: "the definition", param: "definition" },
  status: { says: "the status; any of several", param: "status", many: true },
  error: { says: "words in an error", param: "q" },
  after: { says: "enqueued since then: 2h, 7d, 2026-03-05", param: "created_after" },
  before: { says: "enqueued before then", param: "created_before" },
  queue: { says: "the queue", param: "queue" },
  worker: { says: "the worker", param: "worker" },
  source: { says: "the origin of the job", param: "source" },
  group: { says: "correlation id", param: "correlation_id" },
  trigger: { says: "id of a trigger", param: "trigger" },
  event: { says: "id of an event", param: "event" },
};
/** @type {Api.JobStatus[]} */
export const STATUSES = ["scheduled", "queued", "running", "succeeded", "failed", "dead_letter", "canceled"];
/** Of these at once: what ended without success. @type {Api.JobStatus[]} */
export const UNSUCCESSFUL = ["failed", "dead_letter"];
export const STATUS_WORDS = [...STATUSES, "unsuccessful"];
export const SOURCES = ["api", "sql", "scheduler", "catchup", "manual", "event", "backfill", "retry"];

const TERM = /(\w+):("(?:[^"\\]|\\.)*"|[^\s"]\S*)/g;
const UNITS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** @param {string} text @returns {Query} */
export function parseQuery(text) {
  /** @type {Term[]} */
  const terms = [];
  const rest = text.replace(TERM, (whole, name, value) => {
    if (!(name in QUALIFIERS)) return whole;
    terms.push({ name, value: value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value });
    return "";
  });
  return { terms, rest: rest.replace(/\s+/g, " ").trim() };
}

/** @param {Term} term */
export function writeTerm({ name, value }) {
  return `${name}:${/^[^\s"]+$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`}`;
}

/** @param {Query} query */
export const writeQuery = ({ terms, rest }) => [...terms.map(writeTerm), rest].filter(Boolean).join(" ");

/** What is wrong with a query, in a sentence; empty when nothing is. @param {Query} query */
export function problemOf({ terms }) {
  for (const { name, value } of terms) {
    if (name === "status" && !STATUS_WORDS.includes(value)) return `Unknown status ${value}. Use ${STATUS_WORDS.join(", ")}.`;
    if ((name === "after" || name === "before") && toTime(value, 0) === null)
      return `${name}: use a duration like 2h, or a date.`;
    if ((name === "trigger" || name === "event") && !/^[0-9a-f-]{36}$/i.test(value)) return `${name}: use its id.`;
  }
  return "";
}

/**
 * What the API is asked for.
 * @param {Query} query
 * @param {number} now milliseconds
 * @returns {Api.BulkFilter}
 */
export function toFilter({ terms, rest }, now) {
  /** @type {Record<string, string | string[]>} */
  const filter = {};
  for (const { name, value } of terms) {
    const { param, many } = QUALIFIERS[name];
    if (many) filter[param] = [...(filter[param] ?? []), value];
    else filter[param] = param.startsWith("created_") ? new Date(toTime(value, now) ?? now).toISOString() : value;
  }
  if (rest) filter.q = filter.q ? `${filter.q} ${rest}` : rest;
  return filter;
}

/** @param {string} text @param {number} now @returns {number | null} */
function toTime(text, now) {
  const ago = text.match(/^(\d+)([smhdw])$/);
  if (ago) return now - Number(ago[1]) * UNITS[/** @type {"s"} */ (ago[2])] * 1000;
  const at = /^\d{4}-\d\d?-\d\d?/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? null : at;
}

/** @param {Api.JobStatus} status @param {string} word */
const isOf = (status, word) => status === word || (word === "unsuccessful" && UNSUCCESSFUL.includes(status));

/**
 * Whether a job that just changed belongs into a list that was asked for so.
 * @param {Api.JobRecord} job
 * @param {Api.BulkFilter} filter
 */
export function fits(job, filter) {
  const same = (/** @type {keyof Api.BulkFilter} */ name, /** @type {unknown} */ value) => !filter[name] || filter[name] === value;
  return (
    (!filter.status?.length || filter.status.some((word) => isOf(job.status, word))) &&
    same("definition", job.definition) &&
    same("queue", job.queue) &&
    same("source", job.source) &&
    same("worker", job.worker) &&
    same("correlation_id", job.correlation_id) &&
    same("trigger", job.trigger_id) &&
    same("event", job.event_id) &&
    (!filter.q || (job.last_error ?? "").toLowerCase().includes(filter.q.toLowerCase())) &&
    (!filter.created_after || job.created_at >= filter.created_after) &&
    (!filter.created_before || job.created_at < filter.created_before)
  );
}
