// Many jobs at once: counted first, confirmed, then followed to the end, with a way to stop.
import { api } from "../api.js";
import { capital, capped, count, plural } from "../lib/format.js";
import { html, useEffect, useRef, useState } from "../ui.js";
import { BulkBar } from "./bulk_bar.js";
import { Dialog } from "./forms/dialog.js";
import { Segmented } from "./forms/segmented.js";
import { say, sayRefused } from "./shell/toast.js";

/** @typedef {Api.Bulk["action"]} Action */
/** @typedef {{action: Action, filter: Api.BulkFilter, count: Api.BulkCount}} Asked what the reader is to confirm */
const DONE = { retry: "retried", cancel: "canceled", delete: "deleted" };
const NOTES = {
  retry: "The jobs are queued again and keep their history.",
  cancel: "Running jobs are asked to stop; the others never start.",
  delete: "The jobs and their history are deleted for ever.",
};
/** @type {[string, string][]} jobs a second, so that what has just come back is not flooded */
const PACES = [
  ["", "No limit"],
  ["10", "10 a second"],
  ["100", "100 a second"],
];
const EVERY = 400;

/**
 * `prepare` asks and does; `view` is what is seen of it.
 * @param {() => void} after called when it has ended
 */
export function useBulk(after) {
  const [asked, ask] = useState(/** @type {Asked | null} */ (null));
  const [operation, setOperation] = useState(/** @type {Api.OperationAnswer | null} */ (null));
  const gone = useRef(false);
  useEffect(() => () => void (gone.current = true), []);

  const prepare = async (/** @type {Action} */ action, /** @type {Api.BulkFilter} */ filter) => {
    try {
      ask({ action, filter, count: await countJobs(action, filter) });
    } catch (error) {
      sayRefused("Nothing was changed.", error);
    }
  };
  const begin = async (/** @type {number | null} */ per_second) => {
    const { action, filter } = /** @type {Asked} */ (asked);
    ask(null);
    try {
      const begun = await api.post("/jobs/bulk", {}, { action, filter, per_second });
      await followToEnd(/** @type {Api.OperationAnswer} */ (begun));
    } catch (error) {
      sayRefused("The operation could not be followed.", error);
    }
    setOperation(null);
    after();
  };
  const followToEnd = async (/** @type {Api.OperationAnswer} */ begun) => {
    let now = begun;
    while (!gone.current && now.state === "running") {
      setOperation(now);
      await new Promise((resolve) => setTimeout(resolve, EVERY));
      now = await api.get("/jobs/bulk/{operation_id}", { operation_id: now.id });
    }
    const left = now.left_alone ? ` ${count(now.left_alone)} had changed meanwhile and stay as they are.` : "";
    const end = now.state === "failed" ? ` It failed: ${now.error}` : now.state === "canceled" ? " Stopped." : "";
    say(`${plural(now.done, "job")} ${DONE[/** @type {Action} */ (now.action)]}.${left}${end}`);
  };
  const stop = () =>
    api
      .post("/jobs/bulk/{operation_id}/cancel", { operation_id: /** @type {Api.OperationAnswer} */ (operation).id })
      .catch((error) => sayRefused("Not stopped.", error));
  const view = operation
    ? html`<${BulkBar} says=${`${count(operation.done)} of ${count(operation.expected)}`} clear=${() => {}}
        progress=${{ done: operation.done + operation.left_alone, all: operation.expected, stop }} />`
    : asked && html`<${Confirm} asked=${asked} close=${() => ask(null)} begin=${begin} />`;
  return { prepare, view, running: operation !== null };
}

/** How many jobs it would change. @param {Action} action @param {Api.BulkFilter} filter */
export async function countJobs(action, filter) {
  const counted = await api.post("/jobs/bulk", {}, { action, filter, dry_run: true });
  return /** @type {Api.BulkCount} */ (counted);
}

/** @param {{asked: Asked, close: () => void, begin: (perSecond: number | null) => void}} props */
function Confirm({ asked, close, begin }) {
  const [pace, setPace] = useState("");
  const { action } = asked;
  const { matching, capped: more } = asked.count;
  const many = `${capped(matching, more)} ${matching === 1 ? "job" : "jobs"}`;
  const verb = capital(action);
  const none = matching === 0 && !more;
  const says =
    none
      ? `None of these can be ${DONE[action]} any more.`
      : `${NOTES[action]} You can cancel the operation; changed jobs stay changed.`;
  return html`<${Dialog} title=${`${verb} ${many}`} close=${close}
    onSubmit=${() => begin(pace ? Number(pace) : null)} foot=${html`
      <button class="button" type="button" onClick=${close}>Not now</button>
      <button class="button ${action === "delete" ? "button-danger" : "button-primary"}" type="submit"
        disabled=${none}>${verb} ${capped(matching, more)}</button>`}>
    <div class="dialog-body"><p>${says}</p>
      ${
        action === "retry" &&
        matching > 1 &&
        html`<p class="actions"><span class="soft">How fast</span><${Segmented}
        label="How fast" options=${PACES} value=${pace} choose=${setPace} /></p>`
      }</div>
  </${Dialog}>`;
}
