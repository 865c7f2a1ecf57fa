import { api } from "../../api.js";
import { Icon } from "../../components/icon.js";
import { RelativeTime } from "../../components/time.js";
import { sayRefused } from "../../components/shell/toast.js";
import { count, shortId } from "../../lib/format.js";
import { href } from "../../router.js";
import { may } from "../../session.js";
import { html } from "../../ui.js";

const OF_QUEUES = ["oldest_queued", "no_worker"];
const OF_TRIGGERS = ["missed_fire", "trigger_disabled"];

/** @param {{alert: Api.AlertAnswer, put: (alert: Api.AlertAnswer) => void}} props */
export function Alert({ alert, put }) {
  const settle = async (/** @type {"acknowledge" | "close"} */ action) => {
    const at = new Date().toISOString();
    put({
      ...alert,
      ...(action === "close" ? { closed_at: at, closed_by: "you" } : { acknowledged_at: at, acknowledged_by: "you" }),
    });
    try {
      put(await api.post(`/alerts/{alert_id}/${action}`, { alert_id: alert.id }));
    } catch (error) {
      put(alert);
      sayRefused(action === "close" ? "Not closed." : "Not acknowledged.", error);
    }
  };
  const settles = may("alerts.settle") && !alert.closed_at;
  const icon = alert.closed_at ? "succeeded" : "warning";
  return html`<li class="alert-row" data-alert=${alert.id}>
    <${Icon} name=${icon} class=${alert.closed_at ? "quiet" : alert.acknowledged_at ? "is-warn" : "is-bad"} />
    <div class="alert-what">
      <a class="row-name" data-row href=${linkOf(alert)}>${alert.what}</a>
      <span class="cell-sub">${alert.rule}${alert.tenant ? ` of ${alert.tenant}` : ""} · ${settledWords(alert)}</span>
      ${alert.error && html`<span class="cell-sub alert-error">${alert.error}</span>`}
    </div>
    <div class="num">since <${RelativeTime} at=${alert.since} /><span class="cell-sub">last seen <${RelativeTime} at=${alert.last_seen} /></span></div>
    <div class="num"><span class="cell-sub">${toldWords(alert.notices)}</span>
      ${alert.job_id && html`<a class="cell-sub" href=${href(`/jobs/${alert.job_id}`)}>job ${shortId(alert.job_id)}</a>`}</div>
    <div class="num row-actions">
      ${
        settles &&
        !alert.acknowledged_at &&
        html`<button class="button button-small" type="button"
        aria-label=${`Acknowledge: ${alert.what}`} onClick=${() => settle("acknowledge")}>Acknowledge</button>`
      }
      ${
        settles &&
        html`<button class="button button-plain button-small" type="button" aria-label=${`Close: ${alert.what}`}
        onClick=${() => settle("close")}>Close</button>`
      }
    </div>
  </li>`;
}

/** @param {number} n */
const toldWords = (n) => (n === 0 ? "no notice yet" : n === 1 ? "1 notice" : `${count(n)} notices`);

/** @param {Api.AlertAnswer} alert */
function settledWords(alert) {
  if (alert.closed_at) return alert.closed_by ? `closed by ${alert.closed_by}` : "recovered by itself";
  return alert.acknowledged_by ? `acknowledged by ${alert.acknowledged_by}` : "not acknowledged";
}

/** Where to look: at its job, or at what it is about. @param {Api.AlertAnswer} alert */
function linkOf(alert) {
  if (alert.job_id) return href(`/jobs/${alert.job_id}`);
  if (OF_QUEUES.includes(alert.kind)) return href("/jobs", { q: `queue:${alert.subject} status:queued` });
  if (OF_TRIGGERS.includes(alert.kind)) return href("/triggers");
  return href("/jobs", { q: `definition:${alert.subject}` });
}
