import { now } from "../../clock.js";
import { Meter } from "../../components/charts/meter.js";
import { Status } from "../../components/status.js";
import { RelativeTime } from "../../components/time.js";
import { UsualBar } from "../../components/charts/usual.js";
import { useKeys } from "../../keyboard.js";
import { plural, shortId } from "../../lib/format.js";
import { href, navigate } from "../../router.js";
import { may } from "../../session.js";
import { html } from "../../ui.js";
import { useCancel } from "./cancel.js";
import { changeOne } from "./change.js";
import { COLUMNS } from "./columns.js";

const CLASSES = /** @type {Record<string, string>} */ ({
  attempt: "num",
  changed: "num",
  source: "roomy-only",
  worker: "roomy-only",
  queue: "roomy-only",
  tenant: "roomy-only",
});

/** @param {{page: import("./page.js").LivePage, usual: Api.UsualAnswer[], columns: string[], selection: import("./selection.js").Selection}} props */
export function JobsTable({ page, usual, columns, selection }) {
  const jobs = page.jobs ?? [];
  const usuals = new Map(usual.map((one) => [one.definition, one]));
  const show = (/** @type {Api.JobRecord} */ changed) => page.put([changed]);
  const canceling = useCancel(show);
  useTableKeys(jobs, selection, { show, cancel: canceling.cancel });
  const all = jobs.length > 0 && jobs.every((job) => selection.ids.has(job.id));
  const selects = may("jobs.bulk");
  const row = (/** @type {Api.JobRecord} */ job) => {
    const selected = selection.ids.has(job.id);
    const current = selection.cursor === job.id;
    const usual = usuals.get(job.definition);
    return html`<${Row} key=${job.id} ...${{ job, jobs, usual, columns, selects, selected, current, selection }} />`;
  };
  return html`
    ${page.newer > 0 && html`<button class="newer" type="button" onClick=${page.showNewer}>
      ${plural(page.newer, "newer job")}</button>`}
    <div class="table-scroll"><table class="jobs-table">
      <thead><tr>
        ${selects && html`<th scope="col"><input type="checkbox" aria-label="Select all on this page" checked=${all}
          onChange=${() => selection.all(jobs, !all)} /></th>`}
        <th scope="col">Status</th><th scope="col">Job</th>
        ${columns.map((name) => html`<th scope="col" key=${name} class=${CLASSES[name]}>${COLUMNS[name][0]}</th>`)}
      </tr></thead>
      <tbody>${jobs.map((job) => row(job))}</tbody>
    </table></div>
    ${canceling.view}`;
}

/**
 * @typedef {object} RowProps
 * @property {Api.JobRecord} job
 * @property {Api.JobRecord[]} jobs all of the page
 * @property {Api.UsualAnswer} [usual]
 * @property {string[]} columns
 * @property {boolean} selects whether rows can be selected
 * @property {boolean} selected
 * @property {boolean} current
 * @property {import("./selection.js").Selection} selection
 */

/** @param {RowProps} props */
function Row({ job, usual, columns, selects, selected, current, selection, jobs }) {
  const select = (/** @type {MouseEvent} */ event) =>
    event.shiftKey ? selection.toHere(job.id, jobs) : selection.toggle(job.id);
  return html`<tr class="${selected ? "is-selected" : ""} ${current ? "is-cursor" : ""}" data-job=${job.id}>
    ${selects && html`<td class="cell-select"><input type="checkbox"
      aria-label=${`Select ${job.definition} ${shortId(job.id)}`} checked=${selected} onClick=${select} /></td>`}
    <td class="cell-status"><${Status} status=${job.status} /></td>
    <td class="cell-job"><a href=${href(`/jobs/${job.id}`)}>
      <span class="row-name">${job.definition}</span>${" "}<code class="quiet">${shortId(job.id)}</code>
    </a></td>
    ${columns.map((name) => html`<${Cell} key=${name} name=${name} job=${job} usual=${usual} />`)}
  </tr>`;
}

/** @param {{name: string, job: Api.JobRecord, usual?: Api.UsualAnswer}} props */
function Cell({ name, job, usual }) {
  switch (name) {
    case "tenant":
      return html`<td class="soft roomy-only">${job.tenant}</td>`;
    case "queue":
      return html`<td class="soft roomy-only">${job.queue}</td>`;
    case "source":
      return html`<td class="soft roomy-only">${job.source}</td>`;
    case "attempt":
      return html`<td class="num soft">${job.attempt_count} of ${job.max_attempts}</td>`;
    case "changed":
      return html`<td class="num cell-changed"><${RelativeTime} at=${changedAt(job)} /></td>`;
    case "duration":
      return html`<td class="cell-duration"><${Duration} job=${job} usual=${usual} /></td>`;
    case "worker":
      return html`<td class="soft roomy-only">${job.worker}</td>`;
    default:
      return html`<${Said} job=${job} />`;
  }
}

/** @param {Api.JobRecord} job */
const changedAt = (job) =>
  (job.status === "scheduled" ? job.run_at : null) ??
  job.finished_at ??
  job.started_at ??
  job.queued_at ??
  job.created_at;

/** @param {{job: Api.JobRecord, usual?: Api.UsualAnswer}} props */
function Duration({ job, usual }) {
  if (!job.started_at) return html`<span class="quiet">not started</span>`;
  const end = job.status === "running" ? now.value : job.finished_at ? Date.parse(job.finished_at) : null;
  if (end === null) return null;
  return html`<${UsualBar} seconds=${Math.max(0, end - Date.parse(job.started_at)) / 1000} usual=${usual} />`;
}

/** @param {{job: Api.JobRecord}} props */
function Said({ job }) {
  if (job.status === "running" && job.progress !== null) {
    return html`<td class="clip soft cell-said"><span class="cell-progress"><${Meter} value=${job.progress}
      label="Progress" /><span>${job.progress_message}</span></span></td>`;
  }
  if (job.status === "running")
    return html`<td class="clip soft cell-said">${job.cancel_requested ? "asked to stop" : job.progress_message}</td>`;
  const bad = job.status === "failed" || job.status === "dead_letter";
  const text = bad || job.status === "scheduled" || job.status === "queued" ? job.last_error : null;
  return html`<td class="clip cell-said ${bad ? "is-bad" : "soft"}" title=${text ?? undefined}>${text}</td>`;
}

/**
 * @param {Api.JobRecord[]} jobs @param {import("./selection.js").Selection} selection
 * @param {{show: (job: Api.JobRecord) => void, cancel: (job: Api.JobRecord) => void}} does
 */
function useTableKeys(jobs, selection, { show, cancel }) {
  const at = jobs.findIndex((job) => job.id === selection.cursor);
  const move = (/** @type {number} */ to) => {
    const job = jobs[Math.max(0, Math.min(jobs.length - 1, to))];
    if (!job) return;
    selection.setCursor(job.id);
    document.querySelector(`[data-job="${job.id}"]`)?.scrollIntoView({ block: "nearest" });
  };
  const here = (/** @type {(job: Api.JobRecord) => void} */ does) => () => at >= 0 && does(jobs[at]);
  useKeys([
    { keys: "j", says: "Next job", does: () => move(at + 1) },
    { keys: "k", says: "Job before", does: () => move(at - 1) },
    { keys: "Enter", says: "Open the job", does: here((job) => navigate(href(`/jobs/${job.id}`))) },
    ...(may("jobs.bulk")
      ? [
          { keys: "x", says: "Select the job", does: here((job) => selection.toggle(job.id)) },
          { keys: "X", says: "Select to here", does: here((job) => selection.toHere(job.id, jobs)) },
        ]
      : []),
    ...(may("jobs.retry") ? [{ keys: "r", says: "Retry the job", does: here((job) => changeOne("retry", job, show)) }] : []),
    ...(may("jobs.cancel") ? [{ keys: "c", says: "Cancel the job", does: here(cancel) }] : []),
  ]);
}
