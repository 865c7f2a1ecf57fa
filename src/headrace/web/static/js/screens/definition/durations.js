import { Chart } from "../../components/charts/chart.js";
import { Panel } from "../../components/panel.js";
import { Loaded } from "../../components/states.js";
import { duration } from "../../lib/format.js";
import { html } from "../../ui.js";

/** How long runs took. @param {{of: import("../../resource.js").Resource<any>}} props */
export function Durations({ of }) {
  const last = of.data?.items.findLast((/** @type {any} */ step) => step.duration_seconds.p50 !== null)?.duration_seconds;
  const legend = html`<p class="legend push"><span><i class="key key-line" />p50 ${last ? duration(last.p50) : ""}
    </span><span><i class="key key-dash" />p95 ${last ? duration(last.p95) : ""}</span></p>`;
  return html`<${Panel} title="Duration" head=${legend}><div class="panel-body">
    <${Loaded} of=${of} what="This chart">${(/** @type {any} */ chart) => {
      const values = (/** @type {"p50" | "p95"} */ name) => chart.items.map((/** @type {any} */ step) => step.duration_seconds[name]);
      const says = last
        ? `Duration of runs. Lately half took less than ${duration(last.p50)}, and 95 % less than ${duration(last.p95)}.`
        : "Duration of runs. Nothing ran.";
      return html`<${Chart} times=${chart.items.map((/** @type {any} */ step) => Date.parse(step.at) / 1000)} says=${says}
        format=${(/** @type {number} */ s) => duration(s)} series=${[
          { name: "p50", kind: "line", values: values("p50") },
          { name: "p95", kind: "dash", values: values("p95") },
        ]} />`;
    }}</${Loaded}>
  </div></${Panel}>`;
}
