import { api } from "../../api.js";
import { now } from "../../clock.js";
import { Icon } from "../../components/icon.js";
import { Panel } from "../../components/panel.js";
import { clock, duration } from "../../lib/format.js";
import { phases } from "../../lib/timeline.js";
import { zone } from "../../preferences.js";
import { useResource } from "../../resource.js";
import { html } from "../../ui.js";

/** @typedef {import("../../lib/timeline.js").Phase} Phase */
/** @typedef {import("../trigger/paged.js").Older<Api.AttemptAnswer>} Ended */

const RUNS = ["running", "failed", "succeeded", "stopped"];
// A phase narrower than this share of the whole has no room for words.
const ROOM = 0.07;
// Attempts that it has room for; those before are one phase.
const MOST = 25;

/** @param {{job: Api.Job, attempts: Ended}} props */
export function Timeline({ job, attempts }) {
  const live = ["scheduled", "queued", "running"].includes(job.status);
  const drawn = attempts.items.slice(0, MOST).reverse();
  const more = attempts.next !== null || attempts.items.length > MOST;
  const all = phases(job, drawn, live ? now.value : 0, more);
  const first = all[0];
  const total = first ? (all[all.length - 1].to - first.from) / 1000 : 0;
  const running = all
    .filter((phase) => RUNS.includes(phase.kind))
    .reduce((sum, phase) => sum + (phase.to - phase.from) / 1000, 0);
  const ran = more ? "" : `, ${duration(running)} of it running`;
  const note = first ? `${duration(total)} ${live ? "so far" : "in all"}${ran}` : "";
  return html`<${Panel} title="Timeline" note=${note} head=${html`<${Legend} all=${all} />`}>
    ${
      first &&
      html`<div class="timeline">
      <ol class="timeline-track" aria-label="What happened, in order">
        ${all.map((phase, i) => html`<${Stretch} key=${i} phase=${phase}
          share=${total ? (phase.to - phase.from) / 1000 / total : 1} />`)}
      </ol>
      <p class="timeline-axis" aria-hidden="true"><span>${clock(first.from, zone.value)}</span><span>
        ${live ? "now" : clock(all[all.length - 1].to, zone.value)}</span></p>
    </div>`
    }
    <${Why} job=${job} />
  </${Panel}>`;
}

/** @param {{phase: Phase, share: number}} props */
function Stretch({ phase, share }) {
  const took = duration((phase.to - phase.from) / 1000);
  const isRun = RUNS.includes(phase.kind);
  const says = isRun ? `Attempt ${phase.run} ${phase.word}, ${took}` : `${phase.word} ${took}`;
  const short = isRun
    ? share > 1.3 * ROOM
      ? `${phase.run} ${phase.word}`
      : String(phase.run)
    : `${phase.word} ${took}`;
  return html`<li class="phase-${phase.kind}" style=${{ "--for": Math.max(share, 0.004) }}
    title=${`${says}, from ${clock(phase.from, zone.value)}`}>
    ${phase.kind !== "backoff" && (isRun ? share > 0.02 : share > 2 * ROOM) ? html`<span>${short}</span>` : html`<span
      class="visually-hidden">${says}</span>`}
  </li>`;
}

/** @param {{all: Phase[]}} props */
function Legend({ all }) {
  /** @type {[string, string, string][]} */
  const keys = [
    ["waiting", "queued", "queued"],
    ["backoff", "backoff", "later"],
    ["failed", "failed", "failed"],
    ["running", "running", "running"],
    ["succeeded", "succeeded", "succeeded"],
  ];
  const there = keys.filter(([kind]) => all.some((phase) => phase.kind === kind));
  return html`<p class="legend push wide-only">${there.map(([, key, word]) => html`<span key=${key}><i
    class="key key-${key}" />${word}</span>`)}</p>`;
}

// "Running" and "ended" are seen anyway.
const SEEN = ["running", "ended", "next"];

/** What a job that waits is waiting for, and whether the worker of one that runs is silent. @param {{job: Api.Job}} props */
function Why({ job }) {
  const live = ["scheduled", "queued", "running"].includes(job.status);
  const why = useResource(`why ${job.id} ${job.status} ${live ? Math.floor(now.value / 5000) : ""}`, (signal) =>
    live ? api.get("/jobs/{job_id}/why", { job_id: job.id }, signal) : Promise.resolve({ reasons: [] }),
  );
  const reasons = (why.data?.reasons ?? []).filter((reason) => !SEEN.includes(reason.code));
  if (reasons.length === 0) return null;
  return html`<p class="why"><${Icon} name=${job.status === "scheduled" ? "scheduled" : "warning"} /><span><span
    class="strong">${job.status === "running" ? "It may stand still" : "Why it waits"}: </span>${reasons.map((reason) => reason.detail).join(" ")}</span>
    </p>`;
}
