import { api } from "../../api.js";
import { Panel } from "../../components/panel.js";
import { Empty, loaded } from "../../components/states.js";
import { RelativeTime } from "../../components/time.js";
import { shortId } from "../../lib/format.js";
import { reasonWords } from "../../lib/triggers.js";
import { href } from "../../router.js";
import { html } from "../../ui.js";
import { Outcome } from "./outcome.js";
import { useOlder } from "./paged.js";

/** What it made of events, newest first. @param {{trigger: Api.TriggerAnswer, first: Resource<Page<Api.DeliveryAnswer> | null>}} props */
export function Deliveries({ trigger, first }) {
  const lines = useOlder(trigger.id, first, (cursor) =>
    api.get("/jobs/triggers/{trigger_id}/deliveries", { trigger_id: trigger.id, cursor, limit: 50 }),
  );
  return html`<${Panel} title="Deliveries" note="each matching event, and what became of it">
    ${loaded(first, { what: "The deliveries" }, () =>
      lines.items.length === 0
        ? html`<${Empty} title="No event yet" icon="triggers"><p>Each event that matches
            <code> ${trigger.event}</code> is listed here.</p></${Empty}>`
        : html`<div class="table-scroll ruled" tabindex="0" role="group" aria-label="Deliveries"><table>
            <thead><tr><th scope="col">Event</th><th scope="col">Outcome</th><th scope="col">Why</th>
              <th scope="col" class="num">When</th></tr></thead>
            <tbody>${lines.items.map((line) => html`<${Line} key=${line.event_id} line=${line} />`)}</tbody>
          </table></div>
          ${lines.next && html`<footer class="panel-foot"><button class="button button-small push" type="button"
            disabled=${lines.busy} onClick=${lines.more}>Older</button></footer>`}`)}
  </${Panel}>`;
}

/** @param {{line: Api.DeliveryAnswer}} props */
function Line({ line }) {
  return html`<tr>
    <td><a href=${href("/jobs", { q: `event:${line.event_id}` })}>${line.event} <code
      class="quiet">${shortId(line.event_id)}</code></a></td>
    <td><${Outcome} outcome=${line.outcome} /></td>
    <td class="clip" title=${line.detail ?? undefined}>${
      line.outcome === "fired" && line.job_id
        ? html`<a href=${href(`/jobs/${line.job_id}`)}>job <code>${shortId(line.job_id)}</code></a>`
        : html`<span class="soft">${reasonWords(line.reason)}${line.detail && `: ${line.detail}`}</span>`
    }</td>
    <td class="num quiet"><${RelativeTime} at=${line.emitted_at} /></td>
  </tr>`;
}
