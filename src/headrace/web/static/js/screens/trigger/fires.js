import { api } from "../../api.js";
import { Panel } from "../../components/panel.js";
import { Empty, loaded } from "../../components/states.js";
import { RelativeTime } from "../../components/time.js";
import { count, shortId } from "../../lib/format.js";
import { dayIn, timeIn } from "../../lib/in_zone.js";
import { reasonWords, sourceWords } from "../../lib/triggers.js";
import { href } from "../../router.js";
import { html } from "../../ui.js";
import { Outcome } from "./outcome.js";
import { useOlder } from "./paged.js";

/** What became of its due times, newest first. @param {{trigger: Api.TriggerAnswer, first: Resource<Page<Api.FireAnswer> | null>}} props */
export function Fires({ trigger, first }) {
  const lines = useOlder(trigger.id, first, (cursor) =>
    api.get("/jobs/triggers/{trigger_id}/fires", { trigger_id: trigger.id, cursor, limit: 50 }),
  );
  return html`<${Panel} title="Fires" note="each due time, and what became of it">
    ${loaded(first, { what: "The fires" }, () =>
      lines.items.length === 0
        ? html`<${Empty} title="Nothing has been due yet" icon="triggers"><p>Each due time is listed here, fired with its
            job or skipped with the reason.</p></${Empty}>`
        : html`<div class="table-scroll ruled" tabindex="0" role="group" aria-label="Fires"><table>
            <thead><tr><th scope="col">Due</th><th scope="col">Outcome</th><th scope="col">Why</th>
              <th scope="col" class="wide-only">How</th><th scope="col" class="num wide-only">When</th></tr></thead>
            <tbody>${lines.items.map((line) => html`<${Line} key=${line.due_at + line.occasion + line.at} line=${line}
              tz=${trigger.timezone} />`)}</tbody>
          </table></div>
          ${lines.next && html`<footer class="panel-foot"><button class="button button-small push" type="button"
            disabled=${lines.busy} onClick=${lines.more}>Older</button></footer>`}`)}
  </${Panel}>`;
}

/** @param {{line: Api.FireAnswer, tz: string}} props */
function Line({ line, tz }) {
  const at = (/** @type {string} */ time) => `${dayIn(Date.parse(time), tz)} ${timeIn(Date.parse(time), tz)}`;
  const due = line.until ? `${at(line.due_at)} to ${at(line.until)}` : at(line.due_at);
  const many = line.n && line.n > 1 ? `${count(line.n)} times: ` : "";
  return html`<tr>
    <td>${due}</td>
    <td><${Outcome} outcome=${line.outcome} /></td>
    <td class="clip" title=${line.detail ?? undefined}>${
      line.outcome === "fired" && line.job_id
        ? html`<a href=${href(`/jobs/${line.job_id}`)}>job <code>${shortId(line.job_id)}</code></a>`
        : html`<span class="soft">${many}${reasonWords(line.reason)}${line.detail && `: ${line.detail}`}</span>`
    }</td>
    <td class="soft wide-only">${sourceWords(line.triggered_by)}</td>
    <td class="num quiet wide-only"><${RelativeTime} at=${line.at} /></td>
  </tr>`;
}
