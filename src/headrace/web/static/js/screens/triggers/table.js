import { Icon } from "../../components/icon.js";
import { Menu, MenuItem } from "../../components/menu.js";
import { RunDots } from "../../components/charts/run_dots.js";
import { Switch } from "../../components/forms/switch.js";
import { RelativeTime } from "../../components/time.js";
import { now } from "../../clock.js";
import { useKeys } from "../../keyboard.js";
import { duration, hourMinute } from "../../lib/format.js";
import { dayIn, ownZone } from "../../lib/in_zone.js";
import { awaitsTime, failingWords, firesNote, firesWords, obstacleWords } from "../../lib/triggers.js";
import { zone } from "../../preferences.js";
import { href, navigate } from "../../router.js";
import { may, session } from "../../session.js";
import { html, useState } from "../../ui.js";
import { DeleteDialog } from "../trigger/delete.js";
import { PauseTrigger } from "../trigger/pause.js";
import { runNow, skipNext, turn } from "./change.js";

/** @typedef {{what: "pause" | "delete", trigger: Api.TriggerAnswer}} Asked */
/**
 * What a row can have done.
 * @typedef {object} Does
 * @property {(trigger: Api.TriggerAnswer) => void} edit
 * @property {(asked: Asked) => void} ask
 * @property {(changed: Api.TriggerAnswer) => void} show
 * @property {() => void} reload
 */

/** @param {{triggers: Resource<Page<Api.TriggerSummaryAnswer>>, edit: (trigger: Api.TriggerAnswer) => void}} props */
export function TriggersTable({ triggers, edit }) {
  const items = triggers.data?.items ?? [];
  const [cursor, setCursor] = useState("");
  const [asked, ask] = useState(/** @type {Asked | null} */ (null));
  const show = (/** @type {Api.TriggerAnswer} */ changed) =>
    triggers.change((page) => ({
      ...page,
      items: page.items.map((summary) => (summary.trigger.id === changed.id ? { ...summary, trigger: changed } : summary)),
    }));
  const does = { edit, ask, show, reload: triggers.reload };
  useTableKeys(items, cursor, setCursor, triggers.reload);
  return html`<div class="table-scroll"><table class="two-line triggers-table">
      <thead><tr>
        <th scope="col">On</th><th scope="col">Trigger</th><th scope="col">Fires</th><th scope="col">Next</th>
        <th scope="col">Last ten</th><th scope="col"><span class="visually-hidden">Actions</span></th>
      </tr></thead>
      <tbody>${items.map((summary) => html`<${Row} key=${summary.trigger.id} summary=${summary} does=${does}
        current=${cursor === summary.trigger.id} />`)}</tbody>
    </table></div>
    ${asked?.what === "pause" && html`<${PauseTrigger} trigger=${asked.trigger} show=${show} close=${() => ask(null)} />`}
    ${asked?.what === "delete" && html`<${DeleteDialog} trigger=${asked.trigger} done=${triggers.reload}
      close=${() => ask(null)} />`}`;
}

/** @param {{summary: Api.TriggerSummaryAnswer, does: Does, current: boolean}} props */
function Row({ summary, does, current }) {
  const { trigger } = summary;
  const everybody = session.value?.tenant === null;
  return html`<tr class="${trigger.enabled ? "" : "is-off"} ${current ? "is-cursor" : ""}" data-trigger=${trigger.name}>
    <td class="cell-on">${
      may("triggers.change")
        ? html`<${Switch} on=${trigger.enabled} label=${`${trigger.name} enabled`}
          turn=${(/** @type {boolean} */ on) => turn(trigger, on, does.show)} />`
        : html`<span class="quiet">${trigger.enabled ? "on" : "off"}</span>`
    }</td>
    <td class="cell-name"><a class="row-name" href=${href(`/triggers/${trigger.id}`)}>${trigger.name}</a>
      <span class="cell-sub">${everybody && `${trigger.tenant} · `}${trigger.definition}</span></td>
    <td class="clip cell-fires"><${Fires} summary=${summary} /></td>
    <td class="cell-next"><${Next} trigger=${trigger} /></td>
    <td class="cell-runs"><${RunDots} runs=${summary.runs} /><${Last} summary=${summary} /></td>
    <td class="num cell-actions"><${RowActions} trigger=${trigger} does=${does} /></td>
  </tr>`;
}

/** @param {{summary: Api.TriggerSummaryAnswer}} props */
function Fires({ summary }) {
  const { trigger, clock_change: change } = summary;
  const skipped = summary.runs.filter((run) => run.status === "skipped").length;
  const paused = !trigger.enabled && trigger.pause_note;
  const bad = obstacleWords(trigger) || trigger.last_error;
  return html`<span title=${firesWords(trigger, summary.words)}>${firesWords(trigger, summary.words)}</span>
    ${change && trigger.enabled && html` <span class="tag tag-warn" title=${change.note}>clock change ${
      dayIn(Date.parse(change.due_at), trigger.timezone)}</span>`}
    ${skipped > 0 && trigger.trigger_type === "schedule" && html` <span class="tag">${skipped} skipped</span>`}
    ${
      bad
        ? html`<span class="cell-sub is-bad" title=${bad}>${bad}</span>`
        : html`<span class="cell-sub">${paused ? trigger.pause_note : firesNote(trigger)}</span>`
    }`;
}

/** @param {{trigger: Api.TriggerAnswer}} props */
export function Next({ trigger }) {
  if (!trigger.enabled) return html`<span class="quiet">paused</span>`;
  if (trigger.trigger_type === "event") return html`<span>on event</span>`;
  if (awaitsTime(trigger, now.value)) return html`<span class="quiet">soon</span>`;
  if (!trigger.next_run_at)
    return html`<span class="quiet">${trigger.trigger_type === "init" ? "next version" : "no more"}</span>`;
  const at = Date.parse(trigger.next_run_at);
  const tz = zone.value === "UTC" ? "UTC" : ownZone();
  const today = dayIn(at, tz) === dayIn(now.value, tz);
  return html`${today ? "" : `${dayIn(at, tz).split(" ")[0]} `}${hourMinute(at, zone.value)}<span class="cell-sub">
    <${RelativeTime} at=${trigger.next_run_at} /></span>`;
}

/** @param {{summary: Api.TriggerSummaryAnswer}} props */
function Last({ summary }) {
  const failing = failingWords(summary.runs);
  const last = summary.runs.find((run) => run.status !== "skipped");
  if (failing) return html`<span class="cell-sub is-bad">${failing}</span>`;
  if (!last) return html`<span class="cell-sub">not run yet</span>`;
  return html`<span class="cell-sub"><${RelativeTime} at=${last.at} />${
    last.seconds === null ? "" : `, took ${duration(last.seconds)}`}</span>`;
}

/** @param {{trigger: Api.TriggerAnswer, does: Does}} props */
function RowActions({ trigger, does }) {
  const timed = trigger.trigger_type !== "event";
  const fires = may("triggers.fire") && timed;
  if (!fires && !may("triggers.change")) return null;
  return html`<span class="row-actions">
    ${fires && html`<button class="button button-plain button-small wide-only" type="button"
      aria-label=${`Run now: ${trigger.name}`} onClick=${() => runNow(trigger, does.reload)}><${Icon} name="play" />Run now
      </button>`}
    <${Menu} label=${`Actions for ${trigger.name}`} class="button button-plain button-icon button-small"
      button=${html`<${Icon} name="more" />`}>
      ${fires && html`<${MenuItem} does=${() => runNow(trigger, does.reload)}>Run now</${MenuItem}>`}
      ${fires && trigger.next_run_at && trigger.trigger_type === "schedule" && html`<${MenuItem}
        does=${() => skipNext(trigger, does.reload)}>Skip the next</${MenuItem}>`}
      ${
        may("triggers.change") &&
        html`<${MenuItem} does=${() => does.edit(trigger)}>Edit</${MenuItem}>
        ${trigger.enabled && html`<${MenuItem} does=${() => does.ask({ what: "pause", trigger })}>Pause with a note
          </${MenuItem}>`}
        ${trigger.app === null && html`<${MenuItem} does=${() => does.ask({ what: "delete", trigger })}>Delete
          </${MenuItem}>`}`
      }
    </${Menu}>
  </span>`;
}

/** @param {Api.TriggerSummaryAnswer[]} items @param {string} cursor @param {(id: string) => void} setCursor @param {() => void} reload */
function useTableKeys(items, cursor, setCursor, reload) {
  const at = items.findIndex(({ trigger }) => trigger.id === cursor);
  const move = (/** @type {number} */ to) => {
    const next = items[Math.max(0, Math.min(items.length - 1, to))];
    if (next) setCursor(next.trigger.id);
  };
  const here = (/** @type {(trigger: Api.TriggerAnswer) => void} */ call) => () => at >= 0 && call(items[at].trigger);
  useKeys([
    { keys: "j", says: "Next trigger", does: () => move(at + 1) },
    { keys: "k", says: "Trigger before", does: () => move(at - 1) },
    { keys: "Enter", says: "Open the trigger", does: here((trigger) => navigate(href(`/triggers/${trigger.id}`))) },
    ...(may("triggers.fire")
      ? [{ keys: "r", says: "Run the trigger now", does: here((trigger) => runNow(trigger, reload)) }]
      : []),
  ]);
}
