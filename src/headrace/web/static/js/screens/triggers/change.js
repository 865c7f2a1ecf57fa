// One trigger changed by the reader. The switch is shown at once, and taken back with the reason when it is refused.
import { api } from "../../api.js";
import { say, sayRefused } from "../../components/shell/toast.js";
import { shortId } from "../../lib/format.js";
import { dayIn, timeIn } from "../../lib/in_zone.js";
import { reasonWords } from "../../lib/triggers.js";
import { href } from "../../router.js";

/**
 * @param {Api.TriggerAnswer} trigger
 * @param {boolean} on
 * @param {(trigger: Api.TriggerAnswer) => void} show
 * @param {string} [note] why it is off
 */
export async function turn(trigger, on, show, note) {
  show({ ...trigger, enabled: on, pause_note: on ? null : (note ?? null), next_run_at: null });
  try {
    const turned = on
      ? api.post("/jobs/triggers/{trigger_id}/enable", { trigger_id: trigger.id })
      : api.post("/jobs/triggers/{trigger_id}/disable", { trigger_id: trigger.id }, { note: note || null });
    show(await turned);
  } catch (error) {
    show(trigger);
    sayRefused(on ? "Not turned on." : "Not turned off.", error);
  }
}

/** @param {Api.TriggerAnswer} trigger @param {() => void} after */
export async function runNow(trigger, after) {
  try {
    const ran = await api.post("/jobs/triggers/{trigger_id}/fire", { trigger_id: trigger.id });
    const open = { href: href(`/jobs/${ran.job_id}`), go: "Open" };
    if (ran.fired) say(`Enqueued ${trigger.definition} ${shortId(ran.job_id)}.`, open);
    else say(`Not run: ${reasonWords(ran.reason)}.`, open);
    after();
  } catch (error) {
    sayRefused("Not run.", error);
  }
}

/** @param {Api.TriggerAnswer} trigger @param {() => void} after */
export async function skipNext(trigger, after) {
  try {
    const { skipped } = await api.post("/jobs/triggers/{trigger_id}/skip-next", { trigger_id: trigger.id });
    const at = Date.parse(skipped);
    say(`${trigger.name} will let ${dayIn(at, trigger.timezone)} ${timeIn(at, trigger.timezone)} pass.`);
    after();
  } catch (error) {
    sayRefused("Not skipped.", error);
  }
}
