// One job: its story, its lines, what it was given, and what can be done with it.
import { api } from "../api.js";
import { Copy } from "../components/copy.js";
import { Icon } from "../components/icon.js";
import { Failed, Skeleton } from "../components/states.js";
import { Status } from "../components/status.js";
import { shortId, statusWord } from "../lib/format.js";
import { changedMuch, onJobs } from "../live.js";
import { useResource, useWhenChanged } from "../resource.js";
import { href } from "../router.js";
import { html, useEffect } from "../ui.js";
import { Actions } from "./job/actions.js";
import { Attempts } from "./job/attempts.js";
import { Log } from "./job/log.js";
import { Payload } from "./job/payload.js";
import { Timeline } from "./job/timeline.js";
import { useOlder } from "./trigger/paged.js";

/** A page of them, the newest first. @param {string} id @param {string | null} cursor @param {AbortSignal} [signal] */
async function readAttempts(id, cursor, signal) {
  const page = await api.get("/jobs/{job_id}/attempts", { job_id: id, cursor }, signal);
  return { ...page, items: page.items.reverse() };
}

/** @param {{params: Record<string, string>}} props */
export function Job({ params }) {
  const { id } = params;
  const resource = useResource(`job ${id}`, (signal) => api.get("/jobs/{job_id}", { job_id: id }, signal));
  const attempts = useResource(`attempts ${id}`, (signal) => readAttempts(id, null, signal));
  const ended = useOlder(id, attempts, (cursor) => readAttempts(id, cursor));
  const usual = useResource("usual", (signal) => api.get("/charts/usual", {}, signal));
  const readAgain = () => {
    resource.reload();
    attempts.reload();
  };
  useWhenChanged(changedMuch, readAgain);
  useEffect(() => onJobs((changed) => changed.some((one) => one.id === id) && readAgain()), [id]);

  const job = resource.data;
  useEffect(() => {
    if (job) document.title = `${job.definition} · Headrace`;
  }, [job?.definition]);
  if (!job) {
    if (resource.error)
      return html`<section class="panel"><${Failed} what="This job" error=${resource.error} again=${resource.reload}
        small=${false} /></section>`;
    return resource.slow ? html`<section class="panel"><${Skeleton} rows=${10} /></section>` : null;
  }
  const attempt =
    job.status === "running"
      ? `, attempt ${Math.max(1, job.attempt_count)} of ${job.max_attempts}`
      : job.cancel_requested
        ? ", asked to stop"
        : "";
  const mine = usual.data?.items.find((one) => one.definition === job.definition);
  return html`
    <header class="stack stack-tight">
      <nav class="crumbs" aria-label="Where this is">
        <a href=${href("/jobs")}>Jobs</a><span aria-hidden="true">/</span>
        <a href=${href("/jobs", { q: `definition:${job.definition}` })}>${job.definition}</a><span
          aria-hidden="true">/</span>
        <code>${job.id}</code><${Copy} label="Copy the id" text=${() => job.id} />
      </nav>
      <div class="page-head">
        <h1>${job.definition}</h1>
        <${Status} status=${job.status} large>${statusWord(job.status)}${attempt}</${Status}>
        <${Actions} job=${job} show=${(/** @type {Api.Job} */ changed) => resource.change(() => changed)} />
      </div>
    </header>
    ${
      job.replaced_by &&
      html`<p class="banner"><${Icon} name="retry" /><span>Closed:
      <a class="link" href=${href(`/jobs/${job.replaced_by}`)}>job ${shortId(job.replaced_by)}</a> runs in its place, with
      another payload.</span></p>`
    }
    <${Timeline} job=${job} attempts=${ended} />
    <div class="columns">
      <div class="stack"><${Log} job=${job} /></div>
      <div class="stack">
        <${Attempts} job=${job} attempts=${attempts} ended=${ended} usual=${mine} />
        <${Payload} job=${job} />
      </div>
    </div>`;
}
