import { dayIn, timeIn, zoneNameIn } from "../../lib/in_zone.js";
import { capital } from "../../lib/format.js";
import { html } from "../../ui.js";

/** Due times in the trigger's own zone, with what clocks do to them. @param {{times: Api.DueTime[], tz: string}} props */
export function NextTimes({ times, tz }) {
  if (times.length === 0) return html`<p class="quiet">No more due times.</p>`;
  return html`<ol class="next-times">${times.map(({ due_at, note }, i) => {
    const at = Date.parse(due_at);
    return html`<li key=${due_at}>
      <span class="quiet">${i + 1}</span><span>${dayIn(at, tz)}</span>
      <span><span class="strong">${timeIn(at, tz)}</span> <span class="quiet">${zoneNameIn(at, tz)}</span></span>
      ${note && html`<span class="note">${capital(note)}.</span>`}
    </li>`;
  })}</ol>`;
}
