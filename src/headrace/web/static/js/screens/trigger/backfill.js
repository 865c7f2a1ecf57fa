// Jobs for due times of the past: counted first, then made, then followed until they have ended.
import { Refused, api } from "../../api.js";
import { serverNow } from "../../clock.js";
import { Dialog } from "../../components/forms/dialog.js";
import { MomentField } from "../../components/forms/field.js";
import { Meter } from "../../components/charts/meter.js";
import { count, plural } from "../../lib/format.js";
import { dayIn, readMoment, timeIn, writeMoment } from "../../lib/in_zone.js";
import { zoneName } from "../../preferences.js";
import { useResource } from "../../resource.js";
import { href } from "../../router.js";
import { html, useEffect, useState } from "../../ui.js";
import { pathOf } from "../triggers/change.js";

const MINUTE = 60_000;
const DAY = 86_400_000;
const EVERY = 1000;
const ENDED = ["succeeded", "failed", "canceled", "dead_letter"];
const CHUNK = 100;

/** @param {{trigger: any, close: () => void, done: () => void}} props */
export function BackfillDialog({ trigger, close, done }) {
  const tz = zoneName();
  const minute = Math.floor(serverNow() / MINUTE) * MINUTE;
  const [since, setSince] = useState(() => writeMoment(minute - DAY, tz));
  const [until, setUntil] = useState(() => writeMoment(minute, tz));
  const [made, setMade] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const [from, to] = [readMoment(since, tz), readMoment(until, tz)];
  const range = from && to ? { since: new Date(from).toISOString(), until: new Date(to).toISOString() } : null;
  const found = useResource(`backfill ${since} ${until}`, (signal) =>
    range ? api.get(`${pathOf(trigger)}/backfill/preview`, range, signal) : Promise.resolve({ due: 0 }),
  );
  const due = found.data?.due ?? 0;
  const submit = async () => {
    if (!range || due === 0) return;
    setBusy(true);
    setProblem("");
    try {
      setMade(await api.post(`${pathOf(trigger)}/backfill`, { from: range.since, until: range.until, cap: due }));
      done();
    } catch (error) {
      setBusy(false);
      setProblem(/** @type {Error} */ (error).message);
    }
  };
  if (made) return html`<${Progress} trigger=${trigger} made=${made} close=${close} />`;
  const wrong = found.error instanceof Refused ? found.error : null;
  return html`<${Dialog} title=${`Backfill ${trigger.name}`} close=${close} onSubmit=${submit} foot=${html`
      ${(problem || wrong) && html`<p class="field-note is-bad" role="alert">${problem || wrong?.message}</p>`}
      <button class="button" type="button" onClick=${close}>Not now</button>
      <button class="button button-primary" type="submit" aria-busy=${busy}
        disabled=${busy || due === 0 || found.data?.too_many}>Enqueue ${due > 0 ? plural(due, "job") : "jobs"}</button>`}>
    <div class="fields">
      <p>One job for each due time of a range, oldest first, also for those that have fired already.</p>
      <div class="field-row">
        <${MomentField} label="From" value=${since} set=${setSince} tz=${tz} />
        <${MomentField} label="Until" value=${until} set=${setUntil} tz=${tz} />
      </div>
      <p aria-live="polite" class=${found.data?.too_many ? "is-bad" : "soft"}>${found.data ? said(found.data, trigger.timezone) : "\u00a0"}</p>
    </div>
  </${Dialog}>`;
}

/** @param {any} found @param {string} tz */
function said(found, tz) {
  if (found.too_many) return `More than ${count(found.due)} due times; choose a shorter range.`;
  if (found.due === 0) return "No due time lies in this range.";
  const at = (/** @type {string} */ time) => `${dayIn(Date.parse(time), tz)} ${timeIn(Date.parse(time), tz)}`;
  if (found.due === 1) return `1 due time, ${at(found.first)} ${tz}.`;
  return `${count(found.due)} due times, from ${at(found.first)} to ${at(found.last)} ${tz}.`;
}

/** @param {{trigger: any, made: any, close: () => void}} props */
function Progress({ trigger, made, close }) {
  const all = made.job_ids.length;
  const [ended, setEnded] = useState(0);
  useEffect(() => {
    let gone = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const look = async () => {
      const n = await endedOf(made.job_ids).catch(() => null);
      if (gone) return;
      if (n !== null) setEnded(n);
      if (n !== all) timer = setTimeout(look, EVERY);
    };
    look();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [made]);
  const skipped = made.skipped ? ` ${plural(made.skipped, "due time")} came to nothing; the fires say why.` : "";
  return html`<${Dialog} title=${`Backfill ${trigger.name}`} close=${close} foot=${html`
      <a class="button" href=${href("/jobs", { q: `trigger:${trigger.id} source:backfill` })} onClick=${close}>See the
        jobs</a>
      <button class="button button-primary" type="button" onClick=${close}>Close</button>`}>
    <div class="dialog-body">
      <p aria-live="polite">${plural(all, "job")} enqueued, ${count(ended)} ended.${skipped}</p>
      <${Meter} value=${all ? ended / all : 1} label="Jobs that have ended" />
    </div>
  </${Dialog}>`;
}

/** How many of these have ended, looked up in parts. @param {string[]} ids */
async function endedOf(ids) {
  let n = 0;
  for (let i = 0; i < ids.length; i += CHUNK) {
    const filter = { ids: ids.slice(i, i + CHUNK), status: ENDED };
    n += (await api.post("/jobs/bulk", { action: "retry", filter, dry_run: true })).matching;
  }
  return n;
}
