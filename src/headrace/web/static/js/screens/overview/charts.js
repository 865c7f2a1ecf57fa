import { Chart } from "../../components/charts/chart.js";
import { Panel } from "../../components/panel.js";
import { Loaded } from "../../components/states.js";
import { count, duration } from "../../lib/format.js";
import { html } from "../../ui.js";

/** @typedef {import("../../resource.js").Resource<any>} Resource */

const UNITS = /** @type {Record<string, string>} */ ({
  "1h": "a minute",
  "6h": "in 5 minutes",
  "24h": "an hour",
  "7d": "in 2 hours",
  "30d": "in 8 hours",
});

/** @param {any} chart */
const timesOf = (chart) => chart.items.map((/** @type {any} */ step) => Date.parse(step.at) / 1000);

/** @param {{of: Resource, window: string, range: any}} props */
export function Throughput({ of, window, range }) {
  const legend = html`<p class="legend"><span><i class="key key-area" />succeeded</span><span><i class="key key-bad"
    />failed</span></p>`;
  return html`<${Panel} title=${`Attempts ${UNITS[window]}`} head=${html`${legend}${range}`}>
    <div class="panel-body">
      <${Loaded} of=${of} what="This chart">${(/** @type {any} */ chart) => {
        const good = chart.items.map((/** @type {any} */ step) => step.succeeded);
        const bad = chart.items.map((/** @type {any} */ step) => step.failed + step.dead_letter + step.retried);
        return html`<${Chart} times=${timesOf(chart)} says=${throughputSays(good, bad, UNITS[window])}
          format=${(/** @type {number} */ n) => count(n)}
          series=${[
            { name: "Succeeded", kind: "area", values: good },
            { name: "Failed", kind: "bars", values: bad, bad: true },
          ]} />`;
      }}</${Loaded}>
    </div>
  </${Panel}>`;
}

/** @param {number[]} good @param {number[]} bad @param {string} unit */
function throughputSays(good, bad, unit) {
  const sum = (/** @type {number[]} */ all) => all.reduce((a, b) => a + b, 0);
  return `Attempts ${unit}. ${count(sum(good))} succeeded and ${count(sum(bad))} failed in all; at most ${count(Math.max(0, ...bad))} failed ${unit}.`;
}

/** @param {{of: Resource}} props */
export function Waits({ of }) {
  const last = of.data?.items.findLast((/** @type {any} */ step) => step.latency_seconds.p50 !== null)?.latency_seconds;
  const legend = html`<p class="legend push"><span><i class="key key-line" />p50 ${last ? duration(last.p50) : ""}
    </span><span><i class="key key-dash" />p95 ${last ? duration(last.p95) : ""}</span></p>`;
  return html`<${Panel} title="Wait before start" head=${legend}>
    <div class="panel-body">
      <${Loaded} of=${of} what="This chart">${(/** @type {any} */ chart) => {
        const p50 = chart.items.map((/** @type {any} */ step) => floor(step.latency_seconds.p50));
        const p95 = chart.items.map((/** @type {any} */ step) => floor(step.latency_seconds.p95));
        const says = last
          ? `Wait before start, on a logarithmic scale. Lately half of the attempts waited less than ${duration(last.p50)}, and 95 % less than ${duration(last.p95)}.`
          : "Wait before start. Nothing started.";
        return html`<${Chart} times=${timesOf(chart)} says=${says} format=${axis} log series=${[
          { name: "p50", kind: "line", values: p50 },
          { name: "p95", kind: "dash", values: p95 },
        ]} />`;
      }}</${Loaded}>
    </div>
  </${Panel}>`;
}

/** A logarithm has no nought. @param {number | null} seconds */
const floor = (seconds) => (seconds === null ? null : Math.max(0.001, seconds));
/** @param {number} s */
const axis = (s) => (s >= 1 ? `${count(s)} s` : s >= 0.1 ? `${s} s` : duration(s));
