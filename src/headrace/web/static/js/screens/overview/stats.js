import { Icon } from "../../components/icon.js";
import { Failed } from "../../components/states.js";
import { Age } from "../../components/time.js";
import { now } from "../../clock.js";
import { capped, count } from "../../lib/format.js";
import { href } from "../../router.js";
import { html } from "../../ui.js";

// A job that waits longer deserves a look.
const LATE = 60_000;

/** @param {{summary: Resource<Api.SummaryAnswer>, slots?: number}} props */
export function Stats({ summary, slots }) {
  if (summary.error && !summary.data)
    return html`<section class="panel"><${Failed} what="The counts" error=${summary.error} again=${summary.reload} /></section>`;
  const s = summary.data;
  const late = s?.oldest_queued_at && now.value - Date.parse(s.oldest_queued_at) > LATE;
  const oldest = s?.oldest_queued_at
    ? html`<span class=${late ? "is-warn strong" : undefined}>oldest <${Age} at=${s.oldest_queued_at} /></span>`
    : "none waits";
  const places = slots === undefined ? "" : `of ${count(slots)} slots`;
  return html`<section class="panel stat-strip" aria-label="Jobs now and in the last hour">
    <${Stat} status="queued" name="Queued" flows figure=${s && count(s.queued)} note=${s && oldest} />
    <${Stat} status="running" name="Running" flows figure=${s && count(s.running)} note=${s && places} />
    <${Stat} status="succeeded" name="Succeeded" figure=${s && count(s.succeeded)} note=${s && "last hour"} />
    <${Stat} status="failed" name="Failed" figure=${s && count(s.failed)} note=${s && "last hour, not retryable"} />
    <${Stat} status="dead_letter" name="Dead letter" figure=${s && capped(s.dead_letter, s.dead_letter_capped)}
      note=${s && (s.dead_letter ? "out of attempts" : "none")} />
  </section>`;
}

/** @param {{status: string, name: string, figure?: string, note?: Children, flows?: boolean}} props */
function Stat({ status, name, figure, note, flows }) {
  return html`<a class="stat ${flows ? "stat-flows" : ""}" href=${href("/jobs", { status })}>
    <span class="stat-label"><${Icon} name=${status} />${name}</span>
    <span class="stat-figure">${figure ?? "\u00a0"}</span><span class="stat-note">${note ?? "\u00a0"}</span>
  </a>`;
}
