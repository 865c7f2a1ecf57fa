// Many jobs at once: counted first, confirmed, then followed to the end, with a way to stop.
import { api } from "../api.js";
import { capital, capped, count, plural } from "../lib/format.js";
import { html, useEffect, useRef, useState } from "../ui.js";
import { BulkBar } from "./bulk_bar.js";
import { Dialog } from "./forms/dialog.js";
import { Segmented } from "./forms/segmented.js";
import { say, sayRefused } from "./shell/toast.js";

/** @typedef {"retry" | "cancel" | "delete"} Action */
const DONE = { retry: "retried", cancel: "canceled", delete: "deleted" };
const NOTES = {
  retry: "They are queued again and keep their history.",
  cancel: "Those that run are told to stop; the others never start.",
  delete: "They and their history go, and cannot be brought back.",
};
/** @type {[string, string][]} jobs a second, so that what has just come back is not flooded */
const PACES = [
  ["", "As fast as it goes"],
  ["10", "10 a second"],
  ["100", "100 a second"],
];
const EVERY = 400;

/**
 * `prepare` asks and does; `view` is what is seen of it.
 * @param {() => void} after called when it has ended
 */
export function useBulk(after) {
  const [asked, ask] = useState(/** @type {{action: Action, filter: any, count: any} | null} */ (null));
  const [operation, setOperation] = useState(/** @type {any} */ (null));
  const gone = useRef(false);
  useEffect(() => () => void (gone.current = true), []);

  const prepare = async (/** @type {Action} */ action, /** @type {Record<string, any>} */ filter) => {
    try {
      ask({ action, filter, count: await api.post("/jobs/bulk", { action, filter, dry_run: true }) });
    } catch (error) {
      sayRefused("Nothing was changed.", error);
    }
  };
  const begin = async (/** @type {number | null} */ per_second) => {
    const { action, filter } = /** @type {NonNullable<typeof asked>} */ (asked);
    ask(null);
    try {
      await followToEnd(await api.post("/jobs/bulk", { action, filter, per_second }));
    } catch (error) {
      sayRefused("The change could not be followed.", error);
    }
    setOperation(null);
    after();
  };
  const followToEnd = async (/** @type {any} */ found) => {
    while (!gone.current && found.state === "running") {
      setOperation(found);
      await new Promise((resolve) => setTimeout(resolve, EVERY));
      found = await api.get(`/jobs/bulk/${found.id}`);
    }
    const left = found.left_alone ? ` ${count(found.left_alone)} had changed meanwhile and were left alone.` : "";
    const end = found.state === "failed" ? ` It failed: ${found.error}` : found.state === "canceled" ? " Stopped." : "";
    say(`${plural(found.done, "job")} ${DONE[/** @type {Action} */ (found.action)]}.${left}${end}`);
  };
  const stop = () => api.post(`/jobs/bulk/${operation.id}/cancel`).catch((error) => sayRefused("Not stopped.", error));
  const view = operation
    ? html`<${BulkBar} says=${`${count(operation.done)} of ${count(operation.expected)}`} clear=${() => {}}
        progress=${{ done: operation.done + operation.left_alone, all: operation.expected, stop }} />`
    : asked && html`<${Confirm} asked=${asked} close=${() => ask(null)} begin=${begin} />`;
  return { prepare, view, running: operation !== null };
}

/** @param {{asked: any, close: () => void, begin: (perSecond: number | null) => void}} props */
function Confirm({ asked, close, begin }) {
  const [pace, setPace] = useState("");
  const action = /** @type {Action} */ (asked.action);
  const { matching, capped: more } = asked.count;
  const many = `${capped(matching, more)} ${matching === 1 ? "job" : "jobs"}`;
  const verb = capital(action);
  const says =
    matching === 0
      ? `None of these can be ${DONE[action]} any more.`
      : `${NOTES[action]} You can stop in between; what was changed stays changed.`;
  return html`<${Dialog} title=${`${verb} ${many}`} close=${close}
    onSubmit=${() => begin(pace ? Number(pace) : null)} foot=${html`
      <button class="button" type="button" onClick=${close}>Not now</button>
      <button class="button ${action === "delete" ? "button-danger" : "button-primary"}" type="submit"
        disabled=${matching === 0}>${verb} ${capped(matching, more)}</button>`}>
    <div class="dialog-body"><p>${says}</p>
      ${
        action === "retry" &&
        matching > 1 &&
        html`<p class="actions"><span class="soft">How fast</span><${Segmented}
        label="How fast" options=${PACES} value=${pace} choose=${setPace} /></p>`
      }</div>
  </${Dialog}>`;
}
