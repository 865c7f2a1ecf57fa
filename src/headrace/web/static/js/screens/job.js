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

/** @param {{params: Record<string, string>}} props */
export function Job({ params }) {
  const { id } = params;
  const job = useResource(`job ${id}`, (signal) => api.get(`/jobs/${encodeURIComponent(id)}`, {}, signal));
  const attempts = useResource(`attempts ${id}`, (signal) =>
    api.get(`/jobs/${encodeURIComponent(id)}/attempts`, {}, signal),
  );
  const usual = useResource("usual", (signal) => api.get("/charts/usual", {}, signal));
  const readAgain = () => {
    job.reload();
    attempts.reload();
  };
  useWhenChanged(changedMuch, readAgain);
  useEffect(() => onJobs((changed) => changed.some((one) => one.id === id) && readAgain()), [id]);

  const found = job.data;
  useEffect(() => {
    if (found) document.title = `${found.definition} · Headrace`;
  }, [found?.definition]);
  if (!found) {
    if (job.error)
      return html`<section class="panel"><${Failed} what="This job" error=${job.error} again=${job.reload}
        small=${false} /></section>`;
    return job.slow ? html`<section class="panel"><${Skeleton} rows=${10} /></section>` : null;
  }
  const run =
    found.status === "running"
      ? `, attempt ${Math.max(1, found.attempt_count)} of ${found.max_attempts}`
      : found.cancel_requested
        ? ", told to stop"
        : "";
  const mine = usual.data?.items.find((/** @type {any} */ one) => one.definition === found.definition);
  return html`
    <header class="stack stack-tight">
      <nav class="crumbs" aria-label="Where this is">
        <a href=${href("/jobs")}>Jobs</a><span aria-hidden="true">/</span>
        <a href=${href("/jobs", { q: `definition:${found.definition}` })}>${found.definition}</a><span
          aria-hidden="true">/</span>
        <code>${found.id}</code><${Copy} label="Copy the id" text=${() => found.id} />
      </nav>
      <div class="page-head">
        <h1>${found.definition}</h1>
        <${Status} status=${found.status} large>${statusWord(found.status)}${run}</${Status}>
        <${Actions} job=${found} show=${(/** @type {any} */ changed) => job.change(() => changed)} />
      </div>
    </header>
    ${
      found.replaced_by &&
      html`<p class="banner"><${Icon} name="retry" /><span>Closed:
      <a class="link" href=${href(`/jobs/${found.replaced_by}`)}>job ${shortId(found.replaced_by)}</a> runs in its place, with
      another payload.</span></p>`
    }
    <${Timeline} job=${found} attempts=${attempts} />
    <div class="columns">
      <div class="stack"><${Log} job=${found} /></div>
      <div class="stack">
        <${Attempts} job=${found} attempts=${attempts} usual=${mine} />
        <${Payload} job=${found} />
      </div>
    </div>`;
}
