// Canceling one job: at once while it waits, and after a question when that ends something that runs.
import { Dialog } from "../../components/forms/dialog.js";
import { shortId } from "../../lib/format.js";
import { html, useState } from "../../ui.js";
import { canCancel, changeOne } from "./change.js";

/**
 * `cancel` asks where it must and does; `view` is the question.
 * @template {Api.JobRecord} T
 * @param {(job: T) => void} show
 */
export function useCancel(show) {
  const [asked, ask] = useState(/** @type {T | null} */ (null));
  const cancel = (/** @type {T} */ job) =>
    job.status === "running" && canCancel(job) ? ask(job) : changeOne("cancel", job, show);
  const close = () => ask(null);
  const go = () => {
    close();
    changeOne("cancel", /** @type {T} */ (asked), show);
  };
  return { cancel, view: asked && html`<${Question} job=${asked} close=${close} go=${go} />` };
}

/** @param {{job: Api.JobRecord, close: () => void, go: () => void}} props */
function Question({ job, close, go }) {
  return html`<${Dialog} title=${`Cancel ${job.definition} ${shortId(job.id)}?`} close=${close} onSubmit=${go} foot=${html`
      <button class="button" type="button" onClick=${close}>Let it run</button>
      <button class="button button-danger" type="submit">Cancel the job</button>`}>
    <div class="dialog-body"><p>The job is running${job.worker ? ` on ${job.worker}` : ""}. It is asked to stop, and work that it has done
      so far stays done.</p></div>
  </${Dialog}>`;
}
