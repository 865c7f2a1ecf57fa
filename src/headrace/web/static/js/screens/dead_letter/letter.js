import { api } from "../../api.js";
import { Icon } from "../../components/icon.js";
import { JsonTree } from "../../components/json_tree.js";
import { loaded } from "../../components/states.js";
import { RelativeTime } from "../../components/time.js";
import { say, sayRefused } from "../../components/shell/toast.js";
import { shortId } from "../../lib/format.js";
import { useResource } from "../../resource.js";
import { href, setQuery } from "../../router.js";
import { may } from "../../session.js";
import { html, useState } from "../../ui.js";
import { EnqueueDialog } from "../jobs/enqueue.js";

/** One that waits for somebody; what it was given is read when it is opened. @param {{job: Api.JobRecord, open: boolean, changed: () => void}} props */
export function Letter({ job, open, changed }) {
  const redrive = async () => {
    try {
      await api.post("/jobs/{job_id}/retry", { job_id: job.id });
      say(`Redriven ${job.definition} ${shortId(job.id)}.`, { href: href(`/jobs/${job.id}`), go: "Open" });
    } catch (error) {
      sayRefused("Not redriven.", error);
    }
    changed();
  };
  return html`<li class="letter" data-job=${job.id}>
    <button class="letter-head" type="button" data-row aria-expanded=${open} onClick=${() => setQuery({ open: open ? null : job.id })}>
      <span><span class="row-name">${job.definition}</span> <code class="quiet">${shortId(job.id)}</code></span>
      <span class="letter-error is-bad">${job.last_error}</span>
    </button>
    <span class="quiet num">${job.attempt_count} of ${job.max_attempts}</span>
    <span class="num"><${RelativeTime} at=${job.finished_at} /></span>
    <span class="num">${
      may("jobs.retry") &&
      html`<button class="button button-small" type="button"
      aria-label=${`Redrive ${job.definition} ${shortId(job.id)}`} onClick=${redrive}><${Icon} name="retry" />Redrive</button>`
    }</span>
    ${open && html`<${Inside} id=${job.id} changed=${changed} />`}
  </li>`;
}

/** @param {{id: string, changed: () => void}} props */
function Inside({ id, changed }) {
  const job = useResource(`letter ${id}`, (signal) => api.get("/jobs/{job_id}", { job_id: id }, signal));
  const [editing, setEditing] = useState(false);
  const close = () => {
    setEditing(false);
    changed();
  };
  return html`<div class="letter-inside">${loaded(job, { what: "This job", rows: 3 }, (whole) => html`
    <div class="stack stack-tight">
      <h3>Error</h3><pre class="code-block" tabindex="0">${whole.last_error}</pre>
      <p class="actions">
        ${
          may("jobs.retry") &&
          html`<button class="button button-small" type="button" onClick=${() => setEditing(true)}><${Icon}
          name="edit" />Edit and redrive</button>`
        }
        <a class="button button-small" href=${href(`/jobs/${id}`)}>Open the job</a>
      </p>
    </div>
    <div class="stack stack-tight"><h3>Payload</h3><${JsonTree} value=${whole.payload} /></div>
    ${editing && html`<${EnqueueDialog} copyOf=${whole} retry close=${close} />`}`)}</div>`;
}
