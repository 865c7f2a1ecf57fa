import { JsonTree } from "../../components/json_tree.js";
import { Panel } from "../../components/panel.js";
import { RelativeTime } from "../../components/time.js";
import { count, duration, plural } from "../../lib/format.js";
import { href } from "../../router.js";
import { html } from "../../ui.js";
import { CATCH_UP, OVERLAP } from "../triggers/choices.js";

/** @param {Api.TriggerAnswer} trigger @returns {[string, Children][]} */
function rows(trigger) {
  const word = (/** @type {[string, string][]} */ all, /** @type {string} */ name) =>
    all.find(([key]) => key === name)?.[1] ?? name;
  const timed = trigger.trigger_type === "schedule";
  return /** @type {[string, Children][]} */ ([
    ["Runs", html`<a class="link" href=${href(`/definitions/${encodeURIComponent(trigger.definition)}`)}>
      ${trigger.definition}</a>`],
    ["Jobs", html`<a class="link" href=${href("/jobs", { q: `trigger:${trigger.id}` })}>${plural(trigger.runs, "job")}</a>`],
    trigger.last_run_at && ["Last run", html`<${RelativeTime} at=${trigger.last_run_at} />`],
    timed && ["Missed", `${word(CATCH_UP, trigger.catch_up)}${trigger.catch_up === "all" ? `, ${count(trigger.catch_up_cap)} at most` : ""}`],
    timed && ["Missed when", `later than ${duration(trigger.misfire_grace_seconds)}`],
    trigger.trigger_type !== "event" && ["Still running", word(OVERLAP, trigger.overlap)],
    trigger.condition && ["Condition", html`<code>${trigger.condition}</code>`],
    trigger.jitter_seconds > 0 && ["Jitter", duration(trigger.jitter_seconds)],
    trigger.dedupe_window_seconds && ["Same payload", `once in ${duration(trigger.dedupe_window_seconds)}`],
    trigger.max_fires && ["At most", `${count(trigger.max_fires)} times, ${count(trigger.fires)} so far`],
    trigger.starts_at && ["Starts", html`<${RelativeTime} at=${trigger.starts_at} />`],
    trigger.ends_at && ["Ends", html`<${RelativeTime} at=${trigger.ends_at} />`],
    trigger.queue && ["Queue", trigger.queue],
    trigger.priority !== null && ["Priority", count(trigger.priority)],
    trigger.max_attempts && ["Attempts", count(trigger.max_attempts)],
    trigger.pause_on_failures && ["Pauses after", plural(trigger.pause_on_failures, "failure")],
    ["Declared", trigger.app === null ? `by hand${trigger.created_by ? `, by ${trigger.created_by}` : ""}` : `in code of ${trigger.app}`],
  ]).filter(Boolean);
}

/** @param {{trigger: Api.TriggerAnswer}} props */
export function Facts({ trigger }) {
  const changed = Object.keys(trigger.overrides);
  return html`<${Panel} title="Settings">
    <dl class="facts ruled">${rows(trigger).map(([name, value]) => html`<dt key=${name}>${name}</dt><dd
      title=${typeof value === "string" ? value : undefined}>${value}</dd>`)}</dl>
    ${changed.length > 0 && html`<p class="panel-foot">Changed by hand from what code says: ${changed.join(", ")}.</p>`}
  </${Panel}>`;
}

/** @param {{trigger: Api.TriggerAnswer}} props */
export function Template({ trigger }) {
  if (Object.keys(trigger.payload).length === 0) return null;
  return html`<${Panel} title="Payload"><${JsonTree} value=${trigger.payload} /></${Panel}>`;
}
