import { api } from "../../api.js";
import { Icon } from "../../components/icon.js";
import { Meter } from "../../components/charts/meter.js";
import { PauseDialog, Paused } from "../../components/forms/pause_dialog.js";
import { Spark } from "../../components/charts/spark.js";
import { Empty } from "../../components/states.js";
import { sayRefused } from "../../components/shell/toast.js";
import { count, span } from "../../lib/format.js";
import { showRow } from "../../resource.js";
import { href } from "../../router.js";
import { may } from "../../session.js";
import { html, useState } from "../../ui.js";
import { QueueSettings, settingsWords } from "./queue_settings.js";
import { ShareBar } from "./share.js";

// As the overview has it: who waits for longer than this is late.
const LATE = 60;

/** @typedef {import("./share.js").Shares} Shares */
/** @typedef {{what: "pause" | "settings", name: string}} Open */

/** @param {{queues: Api.QueueAnswer[], history: Api.QueueChartAnswer[], shares: Shares, resource: Resource<Page<Api.QueueAnswer>>}} props */
export function QueueTable({ queues, history, shares, resource }) {
  const [open, setOpen] = useState(/** @type {Open | null} */ (null));
  const put = (/** @type {Api.QueueAnswer} */ changed) => showRow(resource, "queue", changed);
  const chosen = queues.find((one) => one.queue === open?.name);
  const close = () => setOpen(null);
  if (queues.length === 0)
    return html`<${Empty} title="No queue yet" icon="workers"><p>A queue exists as soon as a definition names it.</p>
      </${Empty}>`;
  return html`
    <div class="table-scroll"><table class="cards">
      <thead><tr><th scope="col">Queue</th><th scope="col" class="num">Queued</th><th scope="col">Depth</th>
        <th scope="col" class="num">Oldest</th><th scope="col">Running</th><th scope="col" class="num">Rate</th>
        <th scope="col">Settings</th><th scope="col">Share by tenant</th>
        <th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
      <tbody>${queues.map(
        (queue) => html`<${Row} key=${queue.queue} queue=${queue} put=${put} open=${setOpen}
        past=${history.find((one) => one.queue === queue.queue)} shares=${shares} />`,
      )}</tbody>
    </table></div>
    ${
      open?.what === "pause" &&
      chosen &&
      html`<${PauseDialog} what=${`queue ${chosen.queue}`} close=${close}
      says="No more of its jobs are claimed. Running jobs continue, and enqueues are accepted."
      pause=${async (/** @type {Api.PauseRequest} */ request) =>
        put(await api.post("/admin/queues/{queue}/pause", { queue: chosen.queue }, request))} />`
    }
    ${open?.what === "settings" && chosen && html`<${QueueSettings} queue=${chosen} close=${close} put=${put} />`}`;
}

/** @param {{queue: Api.QueueAnswer, past?: Api.QueueChartAnswer, shares: Shares, put: (queue: Api.QueueAnswer) => void, open: (open: Open) => void}} props */
function Row({ queue, past, shares, put, open }) {
  const name = queue.queue;
  const { queued, running } = queue.depth;
  const late = (queue.oldest_age_seconds ?? 0) > LATE && !queue.paused ? "is-warn strong" : "";
  const { succeeded, failed, retried } = queue.last_hour;
  const resume = async () => {
    put({ ...queue, paused: false, pause: null });
    try {
      put(await api.post("/admin/queues/{queue}/resume", { queue: name }));
    } catch (error) {
      put(queue);
      sayRefused("Not resumed.", error);
    }
  };
  const most = queue.settings.max_running;
  return html`<tr data-queue=${name} class=${queue.paused ? "is-off" : undefined}>
    <td class="card-title"><a class="row-name" data-row href=${href("/jobs", { q: `queue:${name}` })}>${name}</a>${
      queue.pause && html`<${Paused} pause=${queue.pause} />`
    }</td>
    <td class="num ${late}" data-label="Queued">${count(queued)}</td>
    <td data-label="Depth"><${Spark} values=${past?.depth ?? [0, 0]} label=${`Depth of ${name} over the last hour`} /></td>
    <td class="num ${late}" data-label="Oldest">${queue.oldest_age_seconds === null ? html`<span class="quiet">none due</span>` : span(queue.oldest_age_seconds)}</td>
    <td data-label="Running">${
      queue.workers === 0
        ? html`<span class=${queued > 0 ? "is-warn" : "quiet"}>no worker</span>`
        : most
          ? html`<span class="cell-progress"><${Meter} value=${running / most} label=${`Running in ${name}`} /><span>${running} of ${most}</span></span>`
          : count(running)
    }</td>
    <td class="num" data-label="Rate">${rate(succeeded + failed + retried)} / min</td>
    <td data-label="Settings">${
      may("queues.change")
        ? html`<button class="link soft" type="button" aria-label=${`Settings of ${name}: ${settingsWords(queue.settings)}`}
          onClick=${() => open({ what: "settings", name })}>${settingsWords(queue.settings)}</button>`
        : settingsWords(queue.settings)
    }</td>
    <td data-label="Share"><${ShareBar} ran=${past?.shares ?? []} shares=${shares} /></td>
    <td class="num card-actions"><span class="row-actions">
      ${
        may("queues.pause") &&
        (queue.paused
          ? html`<button class="button button-small" type="button" aria-label=${`Resume ${name}`} onClick=${resume}><${Icon} name="play" />Resume</button>`
          : html`<button class="button button-plain button-small" type="button" aria-label=${`Pause ${name}`}
            onClick=${() => open({ what: "pause", name })}><${Icon} name="pause" />Pause</button>`)
      }
    </span></td>
  </tr>`;
}

/** Of an hour's figure, by the minute. @param {number} hour */
function rate(hour) {
  const minute = hour / 60;
  return minute >= 10 || minute === 0 ? count(Math.round(minute)) : minute.toFixed(1);
}
