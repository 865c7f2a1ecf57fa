// Who works and what waits, over all tenants.
import { api } from "../api.js";
import { useRowKeys } from "../components/rows.js";
import { loaded } from "../components/states.js";
import { Panel } from "../components/panel.js";
import { plural } from "../lib/format.js";
import { counted } from "../live.js";
import { useEvery, useResource, useWhenChanged } from "../resource.js";
import { html } from "../ui.js";
import { QueueTable } from "./workers/queues.js";
import { ShareLegend, sharesOf } from "./workers/share.js";
import { WorkerTable } from "./workers/table.js";

const EVERY = 5000;
// Who was lost longer ago than this is history.
const LOST_FOR = 3_600_000;

export function Workers() {
  const workers = useResource("workers", readWorkers);
  const queues = useResource("queues", (signal) => api.get("/admin/queues", { limit: 200 }, signal));
  const history = useResource("history of queues", (signal) => api.get("/charts/queues", {}, signal));
  const running = useResource("running", (signal) =>
    api.get("/jobs", { status: ["running"], limit: 200, include_system: true }, signal),
  );
  const readAll = () => [workers, queues, history, running].forEach((resource) => resource.reload());
  useWhenChanged(counted, readAll, 3000);
  useEvery(readAll, EVERY);
  useRowKeys("queue or worker");

  const live = (workers.data ?? []).filter((worker) => worker.state === "live");
  const sum = (/** @type {"running" | "concurrency"} */ name) =>
    live.reduce((n, worker) => n + worker[name], 0);
  const names = new Map((running.data?.items ?? []).map((job) => [job.id, job.definition]));
  const shares = sharesOf(history.data?.items ?? []);
  return html`
    <header class="page-head">
      <h1>Workers and queues</h1>
      ${
        workers.data &&
        queues.data &&
        html`<span class="quiet">${plural(live.length, "worker")}, ${plural(queues.data.items.length, "queue")},
        ${" "}${sum("running")} of ${sum("concurrency")} slots busy</span>`
      }
    </header>
    <${Panel} title="Queues" note="depth over the last hour" head=${html`<${ShareLegend} shares=${shares} />`}>
      ${loaded(queues, { what: "The queues" }, (data) => html`<${QueueTable}
        queues=${data.items} history=${history.data?.items ?? []} shares=${shares} resource=${queues} />`)}
    </${Panel}>
    <${Panel} title="Workers">
      ${loaded(workers, { what: "The workers" }, (data) => html`<${WorkerTable} workers=${data}
        names=${names} resource=${workers} />`)}
    </${Panel}>`;
}

/** Those that live, and those that were lost a moment ago. @param {AbortSignal} signal */
async function readWorkers(signal) {
  const [live, lost] = await Promise.all(
    /** @type {const} */ (["live", "lost"]).map((state) => api.get("/admin/workers", { state, limit: 200 }, signal)),
  );
  const lately = (/** @type {Api.WorkerAnswer} */ worker) => Date.now() - Date.parse(worker.heartbeat_at) < LOST_FOR;
  return [...live.items, ...lost.items.filter(lately)].sort((a, b) => (a.name < b.name ? -1 : 1));
}
