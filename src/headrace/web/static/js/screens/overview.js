// A sentence first, then figures, then charts, then tables.
import { api } from "../api.js";
import { Segmented } from "../components/forms/segmented.js";
import { changedMuch, counted } from "../live.js";
import { useResource, useWhenChanged } from "../resource.js";
import { place, setQuery } from "../router.js";
import { may } from "../session.js";
import { html, useEffect } from "../ui.js";
import { Busiest } from "./overview/busiest.js";
import { Throughput, Waits } from "./overview/charts.js";
import { ComingUp } from "./overview/coming_up.js";
import { FirstRun } from "./overview/first_run.js";
import { Health } from "./overview/health.js";
import { Stats } from "./overview/stats.js";
import { WorkerStrip } from "./overview/workers.js";

/** @typedef {Api.ChartAnswer["window"]} Window */

/** @type {[Window, string][]} */
const WINDOWS = [
  ["1h", "1 h"],
  ["6h", "6 h"],
  ["24h", "24 h"],
  ["7d", "7 d"],
  ["30d", "30 d"],
];
export const WINDOW_WORDS = /** @type {Record<Window, string>} */ ({
  "1h": "last hour",
  "6h": "last 6 hours",
  "24h": "last 24 hours",
  "7d": "last 7 days",
  "30d": "last 30 days",
});
// What the stream does not tell, such as time going by.
const EVERY = 15_000;

export function Overview() {
  const asked = place.value.query.get("window");
  const window = WINDOWS.find(([name]) => name === asked)?.[0] ?? "1h";
  const health = useResource("health", (signal) => api.get("/overview/health", {}, signal));
  const summary = useResource("summary", (signal) => api.get("/jobs/summary", { window: "1h" }, signal));
  const chart = useResource(`chart ${window}`, (signal) => api.get("/charts/throughput", { window }, signal));
  const busiest = useResource(`busiest ${window}`, (signal) => api.get("/charts/busiest", { window }, signal));
  const workers = useResource("workers", (signal) =>
    may("workers.read") ? api.get("/admin/workers", { state: "live", limit: 50 }, signal) : Promise.resolve(null),
  );

  const readAll = () => [health, summary, chart, busiest, workers].forEach((one) => one.reload());
  useWhenChanged(counted, readAll, 3000);
  useWhenChanged(changedMuch, readAll, 3000);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && readAll(), EVERY);
    return () => clearInterval(timer);
  }, [window]);

  const range = html`<${Segmented} class="push" label="Time range" options=${WINDOWS} value=${window}
    choose=${(/** @type {string} */ value) => setQuery({ window: value === "1h" ? null : value })} />`;
  return html`
    <${Health} health=${health} />
    ${health.data?.first_run && html`<${FirstRun} workers=${health.data.workers} />`}
    <${Stats} summary=${summary} slots=${health.data?.slots} />
    <div class="columns">
      <${Throughput} chart=${chart} window=${window} range=${range} />
      <${Waits} chart=${chart} />
    </div>
    <div class="columns">
      <${Busiest} busiest=${busiest} window=${window} />
      <${ComingUp} />
    </div>
    ${workers.data !== null && html`<${WorkerStrip} workers=${workers} />`}`;
}
