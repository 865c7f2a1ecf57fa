import { Chart } from "../../components/charts/chart.js";
import { Panel } from "../../components/panel.js";
import { loaded } from "../../components/states.js";
import { duration } from "../../lib/format.js";
import { html } from "../../ui.js";

/** How long attempts took. @param {{chart: Resource<Api.ChartAnswer>}} props */
export function Durations({ chart }) {
  const last = chart.data?.items.findLast((step) => step.duration_seconds.p50 !== null)?.duration_seconds;
  const legend = html`<p class="legend push"><span><i class="key key-line" />p50 ${last ? duration(last.p50) : ""}
    </span><span><i class="key key-dash" />p95 ${last ? duration(last.p95) : ""}</span></p>`;
  return html`<${Panel} title="Duration" head=${legend}><div class="panel-body">
    ${loaded(chart, { what: "This chart" }, ({ items }) => {
      const values = (/** @type {"p50" | "p95"} */ name) => items.map((step) => step.duration_seconds[name]);
      const says = last
        ? `Duration of attempts. Lately half took less than ${duration(last.p50)}, and 95 % less than ${duration(last.p95)}.`
        : "Duration of attempts. Nothing ran.";
      return html`<${Chart} times=${items.map((step) => Date.parse(step.at) / 1000)} says=${says}
        format=${(/** @type {number} */ s) => duration(s)} series=${[
          { name: "p50", kind: "line", values: values("p50") },
          { name: "p95", kind: "dash", values: values("p95") },
        ]} />`;
    })}
  </div></${Panel}>`;
}
