import { Slots } from "../../components/charts/meter.js";
import { Panel } from "../../components/panel.js";
import { loaded } from "../../components/states.js";
import { RelativeTime } from "../../components/time.js";
import { Icon } from "../../components/icon.js";
import { html } from "../../ui.js";

const MOST = 10;

/** @param {{workers: Resource<Page<Api.WorkerAnswer> | null>}} props */
export function WorkerStrip({ workers }) {
  const all = workers.data?.items ?? [];
  const sum = (/** @type {"running" | "concurrency"} */ name) =>
    all.reduce((n, worker) => n + worker[name], 0);
  return html`<${Panel} title="Workers"
    note=${all.length > 0 && `${sum("running")} of ${sum("concurrency")} slots busy`}>
    ${loaded(workers, { what: "The workers", rows: 2 }, () =>
      all.length === 0
        ? html`<div class="state state-small"><p>No worker is live. Start one with <code>headrace worker</code>.</p>
          </div>`
        : html`<ul class="worker-strip">${all.slice(0, MOST).map((worker) => html`<${Cell}
          key=${worker.id} worker=${worker} />`)}</ul>`)}
  </${Panel}>`;
}

/** @param {{worker: Api.WorkerAnswer}} props */
function Cell({ worker }) {
  return html`<li class="worker-cell">
    <span class="row-name">${worker.name}</span>
    ${
      worker.stale
        ? html`<span class="status status-stale"><${Icon} name="warning" />silent</span><span
          class="cell-sub">last heard <${RelativeTime} at=${worker.heartbeat_at} /></span>`
        : html`<${Slots} busy=${worker.running} all=${worker.concurrency} /><span class="cell-sub">
          ${worker.draining ? "draining" : worker.queues.join(", ").replace("*", "all queues")}</span>`
    }
  </li>`;
}
