// One job changed by the reader: shown at once, and taken back with the reason when it is refused.
import { api } from "../../api.js";
import { say, sayRefused } from "../../components/shell/toast.js";
import { statusWord } from "../../lib/format.js";

const FINAL = ["succeeded", "failed", "canceled", "dead_letter"];

/** @param {Api.JobRecord} job */
export const canRetry = (job) => FINAL.includes(job.status) && !job.replaced_by;
/** @param {Api.JobRecord} job */
export const canCancel = (job) => !FINAL.includes(job.status) && !job.cancel_requested;

/**
 * @template {Api.JobRecord} T
 * @param {"retry" | "cancel"} action
 * @param {T} job
 * @param {(job: T) => void} show
 */
export async function changeOne(action, job, show) {
  const possible = action === "retry" ? canRetry(job) : canCancel(job);
  if (!possible)
    return say(`Nothing to ${action}. ${job.replaced_by ? "Another job replaced it." : `The job is ${statusWord(job.status)}.`}`);
  show(wanted(action, job));
  try {
    const changed = await api.post(`/jobs/{job_id}/${action}`, { job_id: job.id });
    show({ ...job, ...changed });
    if (action === "cancel" && FINAL.includes(changed.status) && changed.status !== "canceled") {
      say("Not canceled. The job had ended before your cancel arrived.");
    }
  } catch (error) {
    show(job);
    sayRefused(action === "retry" ? "Not retried." : "Not canceled.", error);
  }
}

/** @template {Api.JobRecord} T @param {"retry" | "cancel"} action @param {T} job @returns {T} */
function wanted(action, job) {
  if (action === "retry") return { ...job, status: "queued", started_at: null, finished_at: null };
  return job.status === "running" ? { ...job, cancel_requested: true } : { ...job, status: "canceled" };
}
