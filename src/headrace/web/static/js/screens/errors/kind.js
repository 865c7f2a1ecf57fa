import { Icon } from "../../components/icon.js";
import { Bars } from "../../components/charts/spark.js";
import { RelativeTime } from "../../components/time.js";
import { count, plural, shortId } from "../../lib/format.js";
import { href, setQuery } from "../../router.js";
import { may } from "../../session.js";
import { html } from "../../ui.js";

// In the last sixth of the time, as much as in all of the time before it, and not by chance.
const LATELY = 6;
const FEW = 5;

/** @param {{steps: number[]}} kind */
export function isRising({ steps }) {
  const from = steps.length - LATELY;
  const sum = (/** @type {number[]} */ part) => part.reduce((n, one) => n + one, 0);
  const lately = sum(steps.slice(from));
  return lately >= FEW && lately >= sum(steps.slice(0, from));
}

/** @param {{kind: Api.ErrorKindAnswer, first: boolean, open: boolean, retry: (filter: Api.BulkFilter) => void}} props first: of those that rise */
export function Kind({ kind, first, open, retry }) {
  const toggle = () => setQuery({ open: open ? null : kind.fingerprint });
  const rising = isRising(kind);
  const n = kind.retryable.length;
  const among = kind.definitions.length === 1 ? ` definition:${kind.definitions[0]}` : "";
  const jobs = href("/jobs", {
    q: `status:failed status:dead_letter${among} error:${JSON.stringify(words(kind.fingerprint))}`,
  });
  return html`<li class="error-group">
    <div><button class="error-title" type="button" data-row aria-expanded=${open} onClick=${toggle}><${Pattern}
      text=${kind.fingerprint} /></button>
      <span class="cell-sub">${kind.definitions.join(", ")}${rising && html` <span class="tag tag-warn">rising</span>`}</span></div>
    <${Bars} values=${kind.steps} bad=${rising} label=${`${plural(kind.attempts, "attempt")} over time`} />
    <div class="num"><span class="strong">${count(kind.attempts)}</span><a class="cell-sub" href=${jobs}>in ${plural(kind.jobs, "job")}</a></div>
    <div class="num"><${RelativeTime} at=${kind.last_seen} /><span class="cell-sub">first <${RelativeTime} at=${kind.first_seen} /></span></div>
    <div class="num error-do">${
      n === 0
        ? html`<span class="quiet">all retried</span>`
        : may("jobs.bulk") &&
          html`<button class="button button-small ${first ? "button-primary" : ""}" type="button"
            aria-label=${`Retry ${n} of ${kind.fingerprint}`} onClick=${() =>
              retry({
                ids: kind.retryable,
                status: ["failed", "dead_letter"],
              })}><${Icon} name="retry" />Retry ${count(n)}</button>`
    }</div>
    ${open && html`<${Sample} kind=${kind} />`}
  </li>`;
}

/** @param {{kind: Api.ErrorKindAnswer}} props */
function Sample({ kind }) {
  const { sample } = kind;
  return html`<div class="error-sample">
    <pre class="code-block" tabindex="0" aria-label="Sample">${sample.traceback ?? sample.error}</pre>
    <dl class="facts facts-plain">
      <dt>Sample</dt><dd><a class="link" href=${href(`/jobs/${sample.job_id}`)}>${shortId(sample.job_id)}, attempt ${sample.run}</a></dd>
      <dt>Worker</dt><dd>${sample.worker ?? "none"}</dd>
      <dt>Dead letter</dt><dd>${
        kind.dead_letters
          ? html`<a class="link" href=${href("/dead-letter", { definition: kind.definitions[0] })}>${plural(kind.dead_letters, "job")}</a>`
          : "none"
      }</dd>
      <dt>Error</dt><dd class="facts-wrap">${sample.error}</dd>
    </dl>
  </div>`;
}

/** What was left out stands in a lighter hand. @param {{text: string}} props */
function Pattern({ text }) {
  return text.split(/(‹(?:n|id|…)›)/).map((part, i) => (i % 2 ? html`<var>${part.slice(1, -1)}</var>` : part));
}

/** The longest part that all have, for a search. @param {string} text */
const words = (text) =>
  text
    .split(/‹(?:n|id|…)›/)
    .map((part) => part.trim())
    .reduce((a, b) => (b.length > a.length ? b : a), "")
    .slice(0, 190);
