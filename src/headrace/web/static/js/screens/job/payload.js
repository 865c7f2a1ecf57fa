import { Copy } from "../../components/copy.js";
import { JsonTree } from "../../components/json_tree.js";
import { RelativeTime } from "../../components/time.js";
import { href } from "../../router.js";
import { html } from "../../ui.js";

const SMALL = "button button-small push";

/**
 * What it was given, what it gave back, and what it belongs to.
 * @param {{job: Api.Job}} props
 */
export function Payload({ job }) {
  const jobs = (/** @type {string} */ q) => href("/jobs", { q });
  return html`<section class="panel" aria-labelledby="payload">
    <header class="panel-head"><h2 id="payload">Payload</h2><${Copy} class=${SMALL} label="Copy JSON of the payload"
      text=${() => JSON.stringify(job.payload, null, 2)}>Copy JSON</${Copy}></header>
    <${JsonTree} value=${job.payload} />
    ${
      job.result !== null &&
      job.result !== undefined &&
      html`
      <header class="panel-head ruled"><h2>Result</h2><${Copy} class=${SMALL} label="Copy JSON of the result"
        text=${() => JSON.stringify(job.result, null, 2)}>Copy JSON</${Copy}></header>
      <${JsonTree} value=${job.result} />`
    }
    <dl class="facts ruled">
      <dt>Queue</dt><dd><a class="link" href=${jobs(`queue:${job.queue}`)}>${job.queue}</a> <span
        class="quiet">priority ${job.priority}</span></dd>
      <dt>Source</dt><dd><${Source} job=${job} /></dd>
      <dt>Enqueued</dt><dd><${RelativeTime} at=${job.created_at} />${job.created_by ? ` by ${job.created_by}` : ""}</dd>
      ${job.scheduled_for && html`<dt>Due</dt><dd><${RelativeTime} at=${job.scheduled_for} /></dd>`}
      ${job.correlation_id && html`<dt>Group</dt><dd><a class="link"
        href=${jobs(`group:"${job.correlation_id.replace(/["\\]/g, "\\$&")}"`)}>${job.correlation_id}</a></dd>`}
      ${job.dedupe_key && html`<dt>Dedupe key</dt><dd title=${job.dedupe_key}><code>${job.dedupe_key}</code></dd>`}
      ${job.idempotency_key && html`<dt>Idempotency</dt><dd title=${job.idempotency_key}><code>${job.idempotency_key}
        </code></dd>`}
      <dt>Tenant</dt><dd>${job.tenant}</dd>
    </dl>
  </section>`;
}

/** @param {{job: Api.Job}} props */
function Source({ job }) {
  if (!job.source_ref) return job.source;
  if (job.source === "retry")
    return html`retry of <a class="link" href=${href(`/jobs/${job.source_ref}`)}>${job.source_ref.slice(-8)}</a>`;
  return html`${job.source}${
    job.trigger_id && html`, <a class="link" href=${href(`/triggers/${job.trigger_id}`)}>its trigger</a>`
  }${
    job.event_id && html`, <a class="link" href=${href("/jobs", { q: `event:${job.event_id}` })}>all jobs of the event</a>`
  }`;
}
