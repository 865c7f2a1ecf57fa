import { apiUrl } from "../../api.js";
import { copyText } from "../../components/copy.js";
import { Icon } from "../../components/icon.js";
import { Menu, MenuItem } from "../../components/menu.js";
import { say } from "../../components/shell/toast.js";
import { useKeys } from "../../keyboard.js";
import { may } from "../../session.js";
import { html, useState } from "../../ui.js";
import { useCancel } from "../jobs/cancel.js";
import { canCancel, canRetry, changeOne } from "../jobs/change.js";
import { EnqueueDialog } from "../jobs/enqueue.js";

/** @param {{job: Api.Job, show: (job: Api.Job) => void}} props */
export function Actions({ job, show }) {
  const [dialog, setDialog] = useState(/** @type {"" | "copy" | "retry"} */ (""));
  const retry = () => changeOne("retry", job, show);
  const canceling = useCancel(show);
  const cancel = () => canceling.cancel(job);
  useKeys([
    ...(may("jobs.retry") ? [{ keys: "r", says: "Retry this job", does: retry }] : []),
    ...(may("jobs.cancel") ? [{ keys: "c", says: "Cancel this job", does: cancel }] : []),
    ...(may("jobs.enqueue") ? [{ keys: "e", says: "Enqueue a copy", does: () => setDialog("copy") }] : []),
  ]);
  const copy = (/** @type {string} */ text) => async () => (await copyText(text)) && say("Copied.");
  const failed = job.status === "failed" || job.status === "dead_letter";
  return html`<div class="actions">
    ${may("jobs.cancel") && canCancel(job) && html`<button class="button button-danger" type="button"
      onClick=${cancel}><${Icon} name="stop" />Cancel</button>`}
    ${may("jobs.retry") && canRetry(job) && html`<button class="button ${failed ? "button-primary" : ""}"
      type="button" onClick=${retry}><${Icon} name="retry" />Retry</button>`}
    ${may("jobs.retry") && failed && html`<button class="button wide-only" type="button"
      onClick=${() => setDialog("retry")}><${Icon} name="edit" />Retry with edits</button>`}
    ${may("jobs.enqueue") && html`<button class="button wide-only" type="button" onClick=${() => setDialog("copy")}>
      <${Icon} name="copy" />Enqueue a copy</button>`}
    <${Menu} label="Copy as" class="button button-narrow" button=${html`<${Icon} name="copy" /><span
      class="wide-only">Copy as</span><${Icon} name="down" />`}>
      <${MenuItem} does=${copy(asCommand(job))}>headrace command</${MenuItem}>
      <${MenuItem} does=${copy(asCurl(job))}>curl</${MenuItem}>
      <${MenuItem} does=${copy(location.origin + location.pathname + location.search)}>Address</${MenuItem}>
    </${Menu}>
    ${canceling.view}
    ${dialog && html`<${EnqueueDialog} copyOf=${job} retry=${dialog === "retry"} close=${() => setDialog("")} />`}
  </div>`;
}

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
/** @param {Api.Job} job */
export const asCommand = (job) =>
  `headrace jobs enqueue ${job.definition} --payload ${quoted(JSON.stringify(job.payload))}`;
/** @param {Api.Job} job */
export const asCurl = (job) =>
  `curl -X POST ${quoted(location.origin + apiUrl("/jobs"))} -H "Authorization: Bearer $HEADRACE_TOKEN" -H 'Content-Type: application/json' -d ${quoted(JSON.stringify({ definition: job.definition, payload: job.payload }))}`;
