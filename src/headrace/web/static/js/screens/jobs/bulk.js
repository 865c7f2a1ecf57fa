// What may be done with the jobs that are selected.
import { BulkBar } from "../../components/bulk_bar.js";
import { useBulk } from "../../components/bulk_operation.js";
import { Icon } from "../../components/icon.js";
import { capital, statusWord } from "../../lib/format.js";
import { html } from "../../ui.js";
import { canCancel, canRetry } from "./change.js";

/** @param {{selection: import("./selection.js").Selection, page: import("./page.js").LivePage, filterNow: () => Api.BulkFilter}} props */
export function BulkActions({ selection, page, filterNow }) {
  const bulk = useBulk(() => {
    selection.clear();
    page.reload();
  });
  if (bulk.running) return bulk.view;
  const chosen = (page.jobs ?? []).filter((job) => selection.ids.has(job.id));
  const button = (/** @type {"retry" | "cancel"} */ action, /** @type {Api.JobRecord[]} */ jobs, /** @type {boolean} */ primary) =>
    jobs.length > 0 &&
    html`<button class="button button-small ${primary ? "button-primary" : ""}" type="button"
      onClick=${() => bulk.prepare(action, { ids: jobs.map((job) => job.id), status: [...new Set(jobs.map((job) => job.status))] })}>
      <${Icon} name=${action === "retry" ? "retry" : "stop"} />${capital(action)} ${jobs.length}</button>`;
  const retryable = chosen.filter(canRetry);
  const cancelable = chosen.filter(canCancel);
  const statuses = [...new Set(chosen.map((job) => statusWord(job.status)))];
  const same = statuses.length === 1 ? `all ${statuses[0]}` : "";
  const allAction = retryable.length >= cancelable.length ? "retry" : "cancel";
  return html`
    ${
      chosen.length > 0 &&
      html`<${BulkBar} clear=${selection.clear} says=${html`<span class="strong">
        ${chosen.length} selected</span> <span class="quiet">${same}</span>`}>
      ${page.next && html`<button class="button button-plain button-small wide-only" type="button"
        onClick=${() => bulk.prepare(allAction, filterNow())}>${capital(allAction)} all that match</button>`}
      ${button("cancel", cancelable, retryable.length === 0)}${button("retry", retryable, true)}
    </${BulkBar}>`
    }
    ${bulk.view}`;
}
