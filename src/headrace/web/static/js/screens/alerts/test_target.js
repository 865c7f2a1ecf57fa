// A test notice, followed until something has come of it.
import { api } from "../../api.js";
import { say, sayRefused } from "../../components/shell/toast.js";

const EVERY = 500;
const MOST_LOOKS = 20;

/** @param {Api.TargetAnswer} target */
export async function sendTest(target) {
  try {
    const { notice_id } = await api.post("/alerts/targets/{alert_target_id}/test", { alert_target_id: target.id });
    say(outcome(target.name, await delivered(notice_id)));
  } catch (error) {
    sayRefused("Not tested.", error);
  }
}

/** What came of a notice, once something has. @param {string} notice_id */
async function delivered(notice_id) {
  for (let n = 0; n < MOST_LOOKS; n++) {
    const { items } = await api.get("/alerts/deliveries", { notice_id, limit: 1 });
    if (items.length > 0) return items[0];
    await new Promise((resolve) => setTimeout(resolve, EVERY));
  }
  return null;
}

/** @param {string} name @param {Api.AlertDeliveryAnswer | null} delivery */
function outcome(name, delivery) {
  if (delivery === null) return `The notice to ${name} was enqueued and has no attempt yet.`;
  return delivery.error ? `The notice to ${name} did not arrive: ${delivery.error}` : `The notice to ${name} arrived.`;
}
