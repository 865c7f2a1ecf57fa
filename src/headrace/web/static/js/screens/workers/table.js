import { api } from "../../api.js";
import { Icon } from "../../components/icon.js";
import { Slots } from "../../components/charts/meter.js";
import { Empty } from "../../components/states.js";
import { RelativeTime } from "../../components/time.js";
import { sayRefused } from "../../components/shell/toast.js";
import { bytes, plural, shortId } from "../../lib/format.js";
import { href } from "../../router.js";
import { may } from "../../session.js";
import { html } from "../../ui.js";

/** @param {{workers: Api.WorkerAnswer[], names: Map<string, string>, resource: Resource<Api.WorkerAnswer[]>}} props */
export function WorkerTable({ workers, names, resource }) {
  if (workers.length === 0)
    return html`<${Empty} title="No worker is live" icon="workers"><p>Queued jobs wait for a worker.</p>
      <pre class="code-block" tabindex="0">headrace worker app:hr</pre></${Empty}>`;
  const newest = workers.map((worker) => worker.version).reduce((a, b) => (isOlder(a, b) ? b : a));
  const put = (/** @type {Api.WorkerAnswer} */ changed) =>
    resource.change((all) => all.map((worker) => (worker.id === changed.id ? changed : worker)));
  return html`<div class="table-scroll"><table class="cards two-line">
    <thead><tr><th scope="col">Worker</th><th scope="col">State</th><th scope="col">Slots</th>
      <th scope="col">Running now</th><th scope="col" class="num">Memory</th><th scope="col">Version</th><th scope="col">Host</th>
      <th scope="col" class="num">Last heard</th><th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
    <tbody>${workers.map(
      (worker) => html`<${Row} key=${worker.id} worker=${worker} names=${names}
      older=${isOlder(worker.version, newest)} put=${put} />`,
    )}</tbody>
  </table></div>`;
}

/** @param {{worker: Api.WorkerAnswer, names: Map<string, string>, older: boolean, put: (worker: Api.WorkerAnswer) => void}} props */
function Row({ worker, names, older, put }) {
  const lost = worker.state === "lost";
  const [first, ...more] = worker.running_jobs;
  const drain = async () => {
    put({ ...worker, draining: true });
    try {
      put(await api.post("/admin/workers/{worker_id}/drain", { worker_id: worker.id }));
    } catch (error) {
      put(worker);
      sayRefused("Not drained.", error);
    }
  };
  const mine = href("/jobs", { q: `worker:${worker.name} status:running` });
  return html`<tr data-worker=${worker.id} class=${lost ? "is-off" : undefined}>
    <td class="card-title"><a class="row-name" data-row href=${mine}>${worker.name}</a><span class="cell-sub">
      ${worker.queues.join(", ").replace("*", "all queues")}</span></td>
    <td data-label="State"><${State} worker=${worker} /></td>
    <td data-label="Slots">${
      lost
        ? html`<span class="quiet">gone</span>`
        : html`<${Slots} busy=${worker.running} all=${worker.concurrency} /><span class="cell-sub">
          ${worker.running} of ${worker.concurrency} busy</span>`
    }</td>
    <td class="clip" data-label="Running now">${
      first
        ? html`<a href=${href(`/jobs/${first}`)}>${names.get(first) ?? "job"} <code class="quiet">${shortId(first)}</code></a>
          ${more.length > 0 && html` <a class="quiet" href=${mine}>and ${more.length} more</a>`}`
        : html`<span class="quiet">${lost ? "its jobs went back to the queue" : "nothing"}</span>`
    }</td>
    <td class="num" data-label="Memory">${
      worker.memory_bytes === null ? html`<span class="quiet">unknown</span>` : bytes(worker.memory_bytes)
    }</td>
    <td data-label="Version">${worker.version}${older && html` <span class="tag tag-warn">older</span>`}</td>
    <td class="soft" data-label="Host">${worker.hostname}<span class="cell-sub">process ${worker.pid}</span></td>
    <td class="num ${worker.stale || lost ? "is-warn strong" : ""}" data-label="Last heard"><${RelativeTime} at=${worker.heartbeat_at} /></td>
    <td class="num card-actions">${
      may("workers.drain") &&
      worker.state === "live" &&
      !worker.draining &&
      html`<button
      class="button button-plain button-small" type="button" aria-label=${`Drain ${worker.name}`}
      title=${`Finish ${plural(worker.running, "job")}, claim no more, stop`} onClick=${drain}>Drain</button>`
    }</td>
  </tr>`;
}

/** @param {{worker: Api.WorkerAnswer}} props */
function State({ worker }) {
  const [kind, icon, word] =
    worker.state === "lost"
      ? ["stale", "warning", "lost"]
      : worker.stale
        ? ["stale", "warning", "silent"]
        : worker.draining
          ? ["scheduled", "scheduled", "draining"]
          : worker.running >= worker.concurrency
            ? ["stale", "warning", "full"]
            : ["succeeded", "succeeded", "serving"];
  return html`<span class="status status-${kind}"><${Icon} name=${icon} />${word}</span>`;
}

/** By number, part by part. @param {string} a @param {string} b */
const isOlder = (a, b) => a.localeCompare(b, "en", { numeric: true }) < 0;
