// What stands still for a while: queues, definitions, tenants and triggers. Why, by whom and until when is said wherever it shows.
import { now, serverNow } from "../../clock.js";
import { relative } from "../../lib/format.js";
import { readMoment, writeMoment } from "../../lib/in_zone.js";
import { zoneName } from "../../preferences.js";
import { html, useState } from "../../ui.js";
import { MomentField, TextField } from "./field.js";
import { FormDialog } from "./form_dialog.js";
import { Segmented } from "./segmented.js";
import { RelativeTime } from "../time.js";

const MINUTE = 60_000;
/** @type {[string, string][]} */
const ENDS = [
  ["", "Somebody resumes it"],
  ["15", "15 m"],
  ["60", "1 h"],
  ["480", "8 h"],
  ["at", "A time"],
];

/**
 * Why something is to stand still, and until when.
 * @param {object} props
 * @param {string} props.what
 * @param {string} props.says what comes of it
 * @param {boolean} [props.ends] whether it can go on by itself
 * @param {() => void} props.close
 * @param {(how: {note: string, resume_at: string | null}) => Promise<void>} props.pause
 */
export function PauseDialog({ what, says, ends = true, close, pause }) {
  const tz = zoneName();
  const [note, setNote] = useState("");
  const [end, setEnd] = useState("");
  const [time, setTime] = useState(() => writeMoment(Math.ceil(serverNow() / MINUTE) * MINUTE + 60 * MINUTE, tz));
  const chosen = end === "at" ? readMoment(time, tz) : end ? serverNow() + Number(end) * MINUTE : null;
  const wrong = end !== "at" ? "" : chosen === null ? "A time is needed." : chosen <= now.value ? "This time has passed." : "";
  const send = () => pause({ note: note.trim(), resume_at: chosen === null ? null : new Date(chosen).toISOString() });
  return html`<${FormDialog} title=${`Pause ${what}`} does="Pause" close=${close} send=${send} ready=${!wrong}>${(
    /** @type {Record<string, string>} */ problems,
  ) => html`
    <p class="soft">${says}</p>
    <${TextField} label="Reason, for others" value=${note} set=${setNote} problem=${problems.note}
      hint="For example: the provider is down" />
    ${ends && html`<div class="field"><span class="label">Until</span><div><${Segmented} label="Until" options=${ENDS}
      value=${end} choose=${setEnd} /></div></div>`}
    ${end === "at" && html`<${MomentField} label="Ends at" value=${time} set=${setTime} tz=${tz}
      problem=${wrong || problems.resume_at} hint=${chosen && `${relative(chosen, now.value)}, time zone ${tz}`} />`}`}
  </${FormDialog}>`;
}

/** `the provider is down (oncall)`. @param {Api.PauseAnswer} pause */
export const pausedBy = ({ paused_by, note }) => (note ? `${note} (${paused_by})` : `by ${paused_by}`);

/** That it is paused, as a sentence. @param {{pause: Api.PauseAnswer}} props */
export function PausedWords({ pause }) {
  return html`Paused by ${pause.paused_by} <${RelativeTime} at=${pause.paused_at} />${pause.note && `: ${pause.note}`}.${" "}
    ${pause.resume_at ? html`The pause ends <${RelativeTime} at=${pause.resume_at} />.` : "The pause ends when somebody resumes it."}`;
}

/** The same in a table, on one line; what matters most comes first, for it may be cut off. @param {{pause: Api.PauseAnswer}} props */
export function Paused({ pause }) {
  return html`<span class="cell-sub paused" title=${pausedBy(pause)}><span class="tag tag-warn">paused</span>
    ${pause.resume_at && html` ends <${RelativeTime} at=${pause.resume_at} />, `} ${pausedBy(pause)}</span>`;
}
