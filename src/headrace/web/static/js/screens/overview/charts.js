import { Chart } from "../../components/charts/chart.js";
import { Panel } from "../../components/panel.js";
import { loaded } from "../../components/states.js";
import { count, duration } from "../../lib/format.js";
import { html } from "../../ui.js";

const UNITS = /** @type {Record<Api.ChartAnswer["window"], string>} */ ({
  "1h": "a minute",
  "6h": "in 5 minutes",
  "24h": "an hour",
  "7d": "in 2 hours",
  "30d": "in 8 hours",
});

/** @param {Api.StepAnswer[]} steps */
const timesOf = (steps) => steps.map((step) => Date.parse(step.at) / 1000);

/** @param {{chart: Resource<Api.ChartAnswer>, window: Api.ChartAnswer["window"], range: Children}} props */
export function Throughput({ chart, window, range }) {
  const legend = html`<p class="legend"><span><i class="key key-area" />succeeded</span><span><i class="key key-bad"
    />failed</span></p>`;
  return html`<${Panel} title=${`Attempts ${UNITS[window]}`} head=${html`${legend}${range}`}>
    <div class="panel-body">
      ${loaded(chart, { what: "This chart" }, ({ items }) => {
        const good = items.map((step) => step.succeeded);
        const bad = items.map((step) => step.failed + step.dead_letter + step.retried);
        return html`<${Chart} times=${timesOf(items)} says=${throughputSays(good, bad, UNITS[window])}
          format=${(/** @type {number} */ n) => count(n)}
          series=${[
            { name: "Succeeded", kind: "area", values: good },
            { name: "Failed", kind: "bars", values: bad, bad: true },
          ]} />`;
      })}
    </div>
  </${Panel}>`;
}

/** @param {number[]} good @param {number[]} bad @param {string} unit */
function throughputSays(good, bad, unit) {
  const sum = (/** @type {number[]} */ all) => all.reduce((a, b) => a + b, 0);
  return `Attempts ${unit}. ${count(sum(good))} succeeded and ${count(sum(bad))} failed in all; at most ${count(Math.max(0, ...bad))} failed ${unit}.`;
}

/** @param {{chart: Resource<Api.ChartAnswer>}} props */
export function Waits({ chart }) {
  const last = chart.data?.items.findLast((step) => step.latency_seconds.p50 !== null)?.latency_seconds;
  const legend = html`<p class="legend push"><span><i class="key key-line" />p50 ${last ? duration(last.p50) : ""}
    </span><span><i class="key key-dash" />p95 ${last ? duration(last.p95) : ""}</span></p>`;
  return html`<${Panel} title="Wait before start" head=${legend}>
    <div class="panel-body">
      ${loaded(chart, { what: "This chart" }, ({ items }) => {
        const p50 = items.map((step) => floor(step.latency_seconds.p50));
        const p95 = items.map((step) => floor(step.latency_seconds.p95));
        const says = last
          ? `Wait before start, on a logarithmic scale. Lately half of the attempts waited less than ${duration(last.p50)}, and 95 % less than ${duration(last.p95)}.`
          : "Wait before start. Nothing started.";
        return html`<${Chart} times=${timesOf(items)} says=${says} format=${axis} log series=${[
          { name: "p50", kind: "line", values: p50 },
          { name: "p95", kind: "dash", values: p95 },
        ]} />`;
      })}
    </div>
  </${Panel}>`;
}

/** A logarithm has no nought. @param {number | null} seconds */
const floor = (seconds) => (seconds === null ? null : Math.max(0.001, seconds));
/** @param {number} s */
const axis = (s) => (s >= 1 ? `${count(s)} s` : s >= 0.1 ? `${s} s` : duration(s));
