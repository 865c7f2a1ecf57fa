// One job changed by the reader: shown at once, and taken back with the reason when it is refused.
import { api } from "../../api.js";
import { say, sayRefused } from "../../components/shell/toast.js";
import { statusWord } from "../../lib/format.js";

/** @typedef {import("../../types.js").Job} Job */

const FINAL = ["succeeded", "failed", "canceled", "dead_letter"];

/** @param {Job} job */
export const canRetry = (job) => FINAL.includes(job.status) && !job.replaced_by;
/** @param {Job} job */
export const canCancel = (job) => !FINAL.includes(job.status) && !job.cancel_requested;

/**
 * @template {Job} T
 * @param {"retry" | "cancel"} what
 * @param {T} job
 * @param {(job: T) => void} show
 */
export async function changeOne(what, job, show) {
  const possible = what === "retry" ? canRetry(job) : canCancel(job);
  if (!possible)
    return say(`Nothing to ${what}. ${job.replaced_by ? "Another job replaced it." : `The job is ${statusWord(job.status)}.`}`);
  show(wanted(what, job));
  try {
    const changed = await api.post(`/jobs/${job.id}/${what}`);
    show({ ...job, ...changed });
    if (what === "cancel" && FINAL.includes(changed.status) && changed.status !== "canceled") {
      say("Not canceled. The job had finished before your cancel arrived.");
    }
  } catch (error) {
    show(job);
    sayRefused(what === "retry" ? "Not retried." : "Not canceled.", error);
  }
}

/** @template {Job} T @param {"retry" | "cancel"} what @param {T} job @returns {T} */
function wanted(what, job) {
  if (what === "retry") return { ...job, status: "queued", started_at: null, finished_at: null };
  return job.status === "running" ? { ...job, cancel_requested: true } : { ...job, status: "canceled" };
}
