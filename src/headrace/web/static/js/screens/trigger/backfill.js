// Jobs for due times of the past: counted first, then made, then followed until they have ended.
import { Refused, api } from "../../api.js";
import { serverNow } from "../../clock.js";
import { countJobs } from "../../components/bulk_operation.js";
import { Dialog } from "../../components/forms/dialog.js";
import { MomentField } from "../../components/forms/field.js";
import { Meter } from "../../components/charts/meter.js";
import { count, plural } from "../../lib/format.js";
import { dayIn, readMoment, timeIn, writeMoment } from "../../lib/in_zone.js";
import { zoneName } from "../../preferences.js";
import { useResource } from "../../resource.js";
import { href } from "../../router.js";
import { html, useEffect, useState } from "../../ui.js";

const MINUTE = 60_000;
const DAY = 86_400_000;
const EVERY = 1000;
/** @type {Api.JobStatus[]} */
const ENDED = ["succeeded", "failed", "canceled", "dead_letter"];
const CHUNK = 100;
/** @type {Api.BackfillPreview} */
const NONE_DUE = { due: 0, too_many: false, first: null, last: null };

/** @param {{trigger: Api.TriggerAnswer, close: () => void, done: () => void}} props */
export function BackfillDialog({ trigger, close, done }) {
  const tz = zoneName();
  const minute = Math.floor(serverNow() / MINUTE) * MINUTE;
  const [since, setSince] = useState(() => writeMoment(minute - DAY, tz));
  const [until, setUntil] = useState(() => writeMoment(minute, tz));
  const [made, setMade] = useState(/** @type {Api.BackfillAnswer | null} */ (null));
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const [from, to] = [readMoment(since, tz), readMoment(until, tz)];
  const range = from && to ? { since: new Date(from).toISOString(), until: new Date(to).toISOString() } : null;
  const preview = useResource(`backfill ${since} ${until}`, (signal) =>
    range
      ? api.get("/jobs/triggers/{trigger_id}/backfill/preview", { trigger_id: trigger.id, ...range }, signal)
      : Promise.resolve(NONE_DUE),
  );
  const due = preview.data?.due ?? 0;
  const submit = async () => {
    if (!range || due === 0) return;
    setBusy(true);
    setProblem("");
    try {
      const body = { from: range.since, until: range.until, cap: due };
      setMade(await api.post("/jobs/triggers/{trigger_id}/backfill", { trigger_id: trigger.id }, body));
      done();
    } catch (error) {
      setBusy(false);
      setProblem(/** @type {Error} */ (error).message);
    }
  };
  if (made) return html`<${Progress} trigger=${trigger} made=${made} close=${close} />`;
  const wrong = preview.error instanceof Refused ? preview.error : null;
  return html`<${Dialog} title=${`Backfill ${trigger.name}`} close=${close} onSubmit=${submit} foot=${html`
      ${(problem || wrong) && html`<p class="field-note is-bad" role="alert">${problem || wrong?.message}</p>`}
      <button class="button" type="button" onClick=${close}>Not now</button>
      <button class="button button-primary" type="submit" aria-busy=${busy}
        disabled=${busy || due === 0 || preview.data?.too_many}>Enqueue ${due > 0 ? plural(due, "job") : "jobs"}</button>`}>
    <div class="fields">
      <p>One job for each due time of a range, oldest first, also for those that have fired already.</p>
      <div class="field-row">
        <${MomentField} label="From" value=${since} set=${setSince} tz=${tz} />
        <${MomentField} label="Until" value=${until} set=${setUntil} tz=${tz} />
      </div>
      <p aria-live="polite" class=${preview.data?.too_many ? "is-bad" : "soft"}>${preview.data ? wordsOf(preview.data, trigger.timezone) : "\u00a0"}</p>
    </div>
  </${Dialog}>`;
}

/** @param {Api.BackfillPreview} preview @param {string} tz */
function wordsOf({ due, too_many, first, last }, tz) {
  if (too_many) return `More than ${count(due)} due times; choose a shorter range.`;
  if (due === 0 || !first || !last) return "No due time is in this range.";
  const at = (/** @type {string} */ time) => `${dayIn(Date.parse(time), tz)} ${timeIn(Date.parse(time), tz)}`;
  if (due === 1) return `1 due time, ${at(first)} ${tz}.`;
  return `${count(due)} due times, from ${at(first)} to ${at(last)} ${tz}.`;
}

/** @param {{trigger: Api.TriggerAnswer, made: Api.BackfillAnswer, close: () => void}} props */
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
  const skipped = made.skipped ? ` ${plural(made.skipped, "due time")} made no job; see the fires.` : "";
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
    n += (await countJobs("retry", filter)).matching;
  }
  return n;
}
