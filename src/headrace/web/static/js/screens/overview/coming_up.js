import { api } from "../../api.js";
import { Panel } from "../../components/panel.js";
import { loaded } from "../../components/states.js";
import { RelativeTime } from "../../components/time.js";
import { dayMonth, hourMinute } from "../../lib/format.js";
import { zone } from "../../preferences.js";
import { counted } from "../../live.js";
import { useResource, useWhenChanged } from "../../resource.js";
import { href } from "../../router.js";
import { html } from "../../ui.js";

const MOST = 6;

/** Schedules that are due next. */
export function ComingUp() {
  const triggers = useResource("triggers", (signal) => api.get("/jobs/triggers", { limit: 200 }, signal));
  useWhenChanged(counted, triggers.reload, 10_000);
  return html`<${Panel} title="Coming up" head=${html`<a class="link push" href=${href("/triggers")}>All triggers</a>`}>
    ${loaded(triggers, { what: "This list", rows: 4 }, (data) => {
      const due = data.items
        .filter(({ enabled, next_run_at }) => enabled && next_run_at !== null)
        .sort((a, b) => (String(a.next_run_at) < String(b.next_run_at) ? -1 : 1))
        .slice(0, MOST);
      if (due.length === 0) return html`<div class="state state-small"><p>No schedule is due.</p></div>`;
      return html`<ul class="upcoming">${due.map(
        (trigger) => html`<li key=${trigger.id}>
        <span>${timeOf(String(trigger.next_run_at))}</span>
        <a class="row-name" href=${href(`/triggers/${trigger.id}`)}>${trigger.name}</a>
        <span class="quiet"><${RelativeTime} at=${trigger.next_run_at} /></span>
      </li>`,
      )}</ul>`;
    })}
  </${Panel}>`;
}

/** The time of day; of a day further off the day. @param {string} at */
function timeOf(at) {
  const then = Date.parse(at);
  return then - Date.now() < 20 * 3_600_000 ? hourMinute(then, zone.value) : dayMonth(then, zone.value);
}
