// What can be run: how each has been doing, and where it stands.
import { api } from "../api.js";
import { pausedBy } from "../components/forms/pause_dialog.js";
import { Spark } from "../components/charts/spark.js";
import { Empty, loaded } from "../components/states.js";
import { RelativeTime } from "../components/time.js";
import { useKeys } from "../keyboard.js";
import { count, duration, plural, share } from "../lib/format.js";
import { counted } from "../live.js";
import { useResource, useWhenChanged } from "../resource.js";
import { href, navigate, place } from "../router.js";
import { may } from "../session.js";
import { html, useState } from "../ui.js";
import { stateOf } from "./definition/state.js";

// Below this share of successes a row is marked.
const POOR = 0.9;

export function Definitions() {
  const whole = may("definitions.inspect");
  const cursor = place.value.query.get("cursor") ?? "";
  const definitions = useResource(`definitions ${whole} ${cursor}`, (signal) =>
    api.get(whole ? "/admin/jobs/definitions" : "/definitions", { cursor, limit: 200 }, signal),
  );
  const busiest = useResource("busiest 24h", (signal) => api.get("/charts/busiest", { window: "24h", limit: 100 }, signal));
  const usual = useResource("usual", (signal) => api.get("/charts/usual", {}, signal));
  useWhenChanged(counted, () => [definitions, busiest].forEach((resource) => resource.reload()), 10_000);
  return html`
    <header class="page-head"><h1>Definitions</h1>
      ${definitions.data && html`<span class="quiet">${plural(definitions.data.items.length, "definition")}, last 24 hours</span>`}
    </header>
    <section class="panel ${definitions.data ? "" : "panel-rows"}" aria-label="Definitions">
      ${loaded(definitions, { what: "The definitions", rows: 10 }, (data) =>
        data.items.length === 0
          ? html`<${Empty} title="Nothing can be run yet" icon="definitions"><p>Definitions come from code: start a worker with
              your application, and its definitions are listed here.</p></${Empty}>`
          : html`<${Table} items=${data.items} busy=${busiest.data?.items ?? []} usual=${usual.data?.items ?? []} whole=${whole} />
            ${data.next_cursor && html`<footer class="panel-foot"><a class="button button-small push"
              href=${href("/definitions", { cursor: data.next_cursor })}>Next page</a></footer>`}`)}
    </section>`;
}

/** @param {{items: Definition[], busy: Api.BusyAnswer[], usual: Api.UsualAnswer[], whole: boolean}} props */
function Table({ items, busy, usual, whole }) {
  const [at, setAt] = useState(-1);
  const move = (/** @type {number} */ to) => setAt(Math.max(0, Math.min(items.length - 1, to)));
  useKeys([
    { keys: "j", says: "Next definition", does: () => move(at + 1) },
    { keys: "k", says: "Definition before", does: () => move(at - 1) },
    { keys: "Enter", says: "Open the definition", does: () => items[at] && navigate(pathTo(items[at].key)) },
  ]);
  return html`<div class="table-scroll"><table class="two-line definitions-table">
    <thead><tr>
      <th scope="col">Definition</th>${whole && html`<th scope="col">State</th>`}
      <th scope="col" class="roomy-only">Queue</th><th scope="col" class="wide-only">Attempts</th>
      <th scope="col" class="num wide-only">Rate</th><th scope="col" class="num">Succeeded</th>
      <th scope="col" class="num wide-only">p50</th><th scope="col" class="num">p95</th>
    </tr></thead>
    <tbody>${items.map((definition, i) => html`<${Row} key=${definition.key} definition=${definition}
      busy=${busy.find((row) => row.definition === definition.key)}
      usual=${usual.find((row) => row.definition === definition.key)}
      current=${i === at} />`)}</tbody>
  </table></div>`;
}

/** Operators see more of each. @typedef {Api.DefinitionAnswer | Api.InspectedDefinition} Definition */

/** @param {string} key */
const pathTo = (key) => href(`/definitions/${encodeURIComponent(key)}`);

/** @param {{definition: Definition, busy?: Api.BusyAnswer, usual?: Api.UsualAnswer, current: boolean}} props */
function Row({ definition, busy, usual, current }) {
  const good = busy ? Math.max(0, busy.attempts - busy.failed) : 0;
  const poor = busy && good < POOR * busy.attempts;
  const inspected = "paused" in definition ? definition : null;
  const state = inspected && stateOf(inspected);
  const pause = inspected?.pause;
  return html`<tr class=${current ? "is-cursor" : undefined} data-definition=${definition.key}>
    <td class="clip"><a class="row-name" href=${pathTo(definition.key)}>${definition.key}</a> <span class="tag wide-only">${definition.kind}</span>
      <span class="cell-sub" title=${definition.description}>${definition.description || "No description."}</span></td>
    ${state && html`<td><span class=${state.bad ? "is-warn" : "soft"} title=${pause ? pausedBy(pause) : undefined}>${state.word}</span>
      ${pause?.resume_at && html`<span class="cell-sub">ends <${RelativeTime} at=${pause.resume_at} /></span>`}</td>`}
    <td class="soft roomy-only">${definition.queue}</td>
    <td class="wide-only">${busy ? html`<${Spark} values=${busy.steps} bad=${poor}
      label=${`${definition.key}, attempts over the last 24 hours`} />` : html`<span class="quiet">did not run</span>`}</td>
    <td class="num wide-only">${busy && rateOf(busy.attempts)}</td>
    <td class="num ${poor ? "is-bad strong" : ""}">${busy && share(good, busy.attempts)}</td>
    <td class="num wide-only">${duration(usual?.p50)}</td>
    <td class="num">${duration(usual?.p95)}</td>
  </tr>`;
}

/** In the unit that gives a plain figure. @param {number} attempts in a day */
function rateOf(attempts) {
  if (attempts >= 1440) return `${count(attempts / 1440)} a minute`;
  return attempts >= 48 ? `${count(attempts / 24)} an hour` : `${count(attempts)} a day`;
}
