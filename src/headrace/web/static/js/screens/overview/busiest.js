import { Panel } from "../../components/panel.js";
import { Spark } from "../../components/charts/spark.js";
import { loaded } from "../../components/states.js";
import { count, duration, share } from "../../lib/format.js";
import { href } from "../../router.js";
import { html } from "../../ui.js";
import { WINDOW_WORDS } from "../overview.js";

// Below this share of successes a row is marked.
const POOR = 0.9;

/** @param {{busiest: Resource<Api.BusiestAnswer>, window: Api.BusiestAnswer["window"]}} props */
export function Busiest({ busiest, window }) {
  const words = WINDOW_WORDS[window];
  return html`<${Panel} title="Busiest definitions" note=${words}
    head=${html`<a class="link push" href=${href("/definitions")}>All definitions</a>`}>
    ${loaded(busiest, { what: "This table", rows: 5 }, ({ items }) =>
      items.length === 0
        ? html`<div class="state state-small"><p>Nothing ran in the ${words}.</p></div>`
        : html`<div class="table-scroll" tabindex="0" role="group" aria-label="Busiest definitions"><table>
            <thead><tr>
              <th scope="col">Definition</th><th scope="col" class="wide-only">Attempts</th>
              <th scope="col" class="num">Count</th><th scope="col" class="num">Succeeded</th>
              <th scope="col" class="num wide-only">p50</th><th scope="col" class="num">p95</th>
            </tr></thead>
            <tbody>${items.map((row) => html`
              <${Row} key=${row.definition} row=${row} words=${words} />`)}</tbody>
          </table></div>`)}
  </${Panel}>`;
}

/** @param {{row: Api.BusyAnswer, words: string}} props */
function Row({ row, words }) {
  const good = row.attempts - row.failed;
  const poor = good < POOR * row.attempts;
  return html`<tr>
    <td>
      <a class="row-name" href=${href("/jobs", { q: `definition:${row.definition}` })}>${row.definition}</a>
      ${" "}<span class="tag wide-only">${row.kind}</span>
    </td>
    <td class="wide-only"><${Spark} values=${row.steps} bad=${poor}
      label=${`${row.definition}, attempts over the ${words}`} /></td>
    <td class="num">${count(row.attempts)}</td>
    <td class="num ${poor ? "is-bad strong" : ""}">${share(Math.max(0, good), row.attempts)}</td>
    <td class="num wide-only">${duration(row.duration_seconds.p50)}</td>
    <td class="num">${duration(row.duration_seconds.p95)}</td>
  </tr>`;
}
