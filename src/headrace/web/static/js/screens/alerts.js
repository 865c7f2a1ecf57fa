// What is wrong now, as the rules see it; and who is told.
import { api } from "../api.js";
import { Panel } from "../components/panel.js";
import { useRowKeys } from "../components/rows.js";
import { Segmented } from "../components/forms/segmented.js";
import { Empty, loaded } from "../components/states.js";
import { plural } from "../lib/format.js";
import { showRow, useEvery, useResource } from "../resource.js";
import { place, setQuery } from "../router.js";
import { html } from "../ui.js";
import { Alert } from "./alerts/alert.js";
import { Rules } from "./alerts/rules.js";
import { Targets } from "./alerts/targets.js";

/** @type {["open" | "closed" | "all", string][]} */
const STATES = [
  ["open", "Open"],
  ["closed", "Closed"],
  ["all", "All"],
];
const EVERY = 10_000;

export function Alerts() {
  const chosen = place.value.query.get("state");
  const state = STATES.find(([name]) => name === chosen)?.[0] ?? "open";
  const alerts = useResource(`alerts ${state}`, (signal) => api.get("/alerts", { state, limit: 100 }, signal));
  const rules = useResource("alert rules", (signal) => api.get("/alerts/rules", { limit: 200 }, signal));
  const targets = useResource("alert targets", (signal) => api.get("/alerts/targets", { limit: 200 }, signal));
  useEvery(alerts.reload, EVERY);
  useRowKeys("alert");

  const put = (/** @type {Api.AlertAnswer} */ changed) => showRow(alerts, "id", changed);
  const open = (alerts.data?.items ?? []).filter((alert) => !alert.closed_at).length;
  const head = html`<${Segmented} class="push" label="Which alerts" options=${STATES} value=${state}
    choose=${(/** @type {string} */ value) => setQuery({ state: value === "open" ? null : value })} />`;
  return html`
    <header class="page-head"><h1>Alerts</h1>${
      alerts.data &&
      html`<span class="quiet">
      ${open ? `${plural(open, "alert")} open` : "none open"}</span>`
    }</header>
    <${Panel} title="What is wrong" head=${head}>
      ${loaded(alerts, { what: "The alerts" }, (data) =>
        data.items.length === 0
          ? html`<${Empty} title=${state === "open" ? "No alert is open" : "No alert"} icon="succeeded"><p>
              ${state === "open" ? "No rule finds anything wrong." : "No rule has found anything wrong yet."}</p></${Empty}>`
          : html`<ul>${data.items.map((alert) => html`<${Alert} key=${alert.id} alert=${alert} put=${put} />`)}</ul>`)}
    </${Panel}>
    <div class="columns">
      <${Rules} rules=${rules} targets=${targets.data?.items ?? []} />
      <${Targets} targets=${targets} />
    </div>`;
}
