import { now } from "../../clock.js";
import { Icon } from "../../components/icon.js";
import { Meter } from "../../components/charts/meter.js";
import { Failed } from "../../components/states.js";
import { isSlow } from "../../components/charts/usual.js";
import { clock, duration } from "../../lib/format.js";
import { outcomeKind, outcomeWord } from "../../lib/timeline.js";
import { zone } from "../../preferences.js";
import { html } from "../../ui.js";

/** @typedef {import("../trigger/paged.js").Older<Api.AttemptAnswer>} Ended */

const ICONS = /** @type {Record<string, [string, string]>} */ ({
  failed: ["failed", "is-bad"],
  succeeded: ["succeeded", "is-ok"],
  stopped: ["canceled", "quiet"],
});

/**
 * How far it is, and what came of each attempt; the newest first.
 * @param {{job: Api.Job, attempts: Resource<Api.AttemptsAnswer>, ended: Ended, usual?: Api.UsualAnswer}} props
 */
export function Attempts({ job, attempts, ended, usual }) {
  const since = job.status === "running" ? job.started_at : null;
  const running = since !== null;
  const seconds = running ? Math.max(0, now.value - Date.parse(since)) / 1000 : 0;
  return html`<section class="panel first-when-narrow" aria-labelledby="attempts">
    ${
      running &&
      html`<header class="panel-head"><h2 id="progress">Progress</h2>${job.progress !== null && html`<span
        class="push strong">${Math.round(job.progress * 100)} %</span>`}</header>
      <div class="panel-body">
        ${job.progress !== null && html`<${Meter} value=${job.progress} label="Progress" />`}
        <p class="progress-note"><span>${job.progress_message ?? "Running"}</span>
          <span class=${isSlow(seconds, usual) ? "is-warn" : "quiet"}>
            ${duration(seconds)}${usual ? `, usual ${duration(usual.p50)}` : ""}</span></p>
      </div>`
    }
    <header class="panel-head ${running ? "ruled" : ""}"><h2 id="attempts">Attempts</h2><span class="quiet">
      ${job.attempt_count} of ${job.max_attempts} used</span></header>
    ${attempts.error && html`<${Failed} what="The attempts" error=${attempts.error} again=${attempts.reload} />`}
    <ol class="attempt-list" reversed>
      ${running && html`<li><div class="attempt-plain"><${Icon} name="running" class="is-accent" /><span><span
        class="strong">${job.run}</span> running on ${job.worker ?? "a worker"}</span><span>${duration(seconds)}</span>
        </div></li>`}
      ${ended.items.map((attempt) => html`<${One} key=${attempt.run} attempt=${attempt} />`)}
      ${!running && ended.items.length === 0 && !attempts.error && html`<li><div class="attempt-plain"><span /><span
        class="quiet">None yet</span></div></li>`}
    </ol>
    ${
      ended.next &&
      html`<footer class="panel-foot"><button class="button button-small push" type="button"
      disabled=${ended.busy} onClick=${ended.more}>Older</button></footer>`
    }
  </section>`;
}

/** @param {{attempt: Api.AttemptAnswer}} props */
function One({ attempt }) {
  const [icon, kind] = ICONS[outcomeKind(attempt.outcome)] ?? ICONS.stopped;
  const took = attempt.started_at ? (Date.parse(attempt.finished_at) - Date.parse(attempt.started_at)) / 1000 : null;
  const detail = attempt.detail ?? {};
  const exit = detail.exit_code != null ? ` · exit ${detail.exit_code}` : "";
  return html`<li><details>
    <summary><${Icon} name=${icon} class=${kind} /><span><span class="strong">${attempt.run}
      </span> ${outcomeWord(attempt.outcome)}${attempt.worker ? ` on ${attempt.worker}` : ""}</span><span>
      ${took === null ? "" : duration(took)}</span>
      ${(attempt.error || exit) && html`<span class="cell-sub">${attempt.error}${exit}</span>`}</summary>
    <div class="attempt-more">
      <dl class="facts">
        <dt>Started</dt><dd>${attempt.started_at ? clock(Date.parse(attempt.started_at), zone.value) : "never"}</dd>
        <dt>Finished</dt><dd>${clock(Date.parse(attempt.finished_at), zone.value)}</dd>
        ${Object.entries(detail)
          .filter(([, value]) => typeof value !== "object" && !String(value).includes("\n"))
          .map(
            ([name, value]) =>
              html`<dt>${name.replaceAll("_", " ")}</dt><dd title=${String(value)}>${String(value)}</dd>`,
          )}
      </dl>
      ${attempt.error && html`<pre class="code-block" tabindex="0">${attempt.error}</pre>`}
      ${attempt.traceback && html`<pre class="code-block" tabindex="0">${attempt.traceback}</pre>`}
      ${Object.entries(detail)
        .filter(([, value]) => typeof value === "string" && value.includes("\n"))
        .map(
          ([name, value]) =>
            html`<h3>${name.replaceAll("_", " ")}</h3><pre class="code-block" tabindex="0">${value}</pre>`,
        )}
    </div>
  </details></li>`;
}
