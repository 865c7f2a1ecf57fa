// One trigger: its rule, when it fires next, what became of its due times, and what can be done with it.
import { api } from "../api.js";
import { Icon } from "../components/icon.js";
import { NextTimes } from "../components/forms/next_times.js";
import { Panel } from "../components/panel.js";
import { Failed, loaded, Skeleton } from "../components/states.js";
import { Switch } from "../components/forms/switch.js";
import { firesWords, obstacleWords } from "../lib/triggers.js";
import { counted } from "../live.js";
import { useResource, useWhenChanged } from "../resource.js";
import { href } from "../router.js";
import { may } from "../session.js";
import { html, useEffect } from "../ui.js";
import { Actions } from "./trigger/actions.js";
import { Deliveries } from "./trigger/deliveries.js";
import { Fires } from "./trigger/fires.js";
import { Facts, Template } from "./trigger/facts.js";
import { turn } from "./triggers/change.js";

/** @param {{params: Record<string, string>}} props */
export function TriggerPage({ params }) {
  const trigger_id = params.id;
  const resource = useResource(`trigger ${trigger_id}`, (signal) =>
    api.get("/jobs/triggers/{trigger_id}", { trigger_id }, signal),
  );
  const trigger = resource.data;
  const type = trigger?.trigger_type;
  const next = useResource(`next of ${trigger_id} ${type} ${trigger?.version}`, (signal) =>
    type === "schedule"
      ? api.get("/jobs/triggers/{trigger_id}/preview", { trigger_id, count: 10 }, signal)
      : Promise.resolve(null),
  );
  const fires = useResource(`fires of ${trigger_id} ${type}`, (signal) =>
    type && type !== "event"
      ? api.get("/jobs/triggers/{trigger_id}/fires", { trigger_id, limit: 25 }, signal)
      : Promise.resolve(null),
  );
  const deliveries = useResource(`deliveries of ${trigger_id} ${type}`, (signal) =>
    type === "event"
      ? api.get("/jobs/triggers/{trigger_id}/deliveries", { trigger_id, limit: 25 }, signal)
      : Promise.resolve(null),
  );
  const reload = () => [resource, next, fires, deliveries].forEach((one) => one.reload());
  useWhenChanged(counted, reload, 5000);
  useEffect(() => {
    if (trigger) document.title = `${trigger.name} · Headrace`;
  }, [trigger?.name]);
  if (!trigger) {
    if (resource.error)
      return html`<section class="panel"><${Failed} what="This trigger" error=${resource.error} again=${resource.reload}
        small=${false} /></section>`;
    return resource.slow ? html`<section class="panel"><${Skeleton} rows=${10} /></section>` : null;
  }
  const show = (/** @type {Api.TriggerAnswer} */ changed) => resource.change(() => changed);
  const timed = trigger.trigger_type === "schedule";
  return html`
    <header class="stack stack-tight">
      <nav class="crumbs" aria-label="Where this is">
        <a href=${href("/triggers")}>Triggers</a><span aria-hidden="true">/</span><code>${trigger.name}</code>
      </nav>
      <div class="page-head">
        ${may("triggers.change") && html`<${Switch} on=${trigger.enabled} label=${`${trigger.name} enabled`}
          turn=${(/** @type {boolean} */ on) => turn(trigger, on, show).then(reload)} />`}
        <h1>${trigger.name}</h1>
        <span class="rule">${firesWords(trigger, next.data?.words)}${timed && trigger.cron && html` <code class="quiet">
          ${trigger.cron}</code>`}</span>
        <${Actions} trigger=${trigger} show=${show} reload=${reload} />
      </div>
    </header>
    <${Notices} trigger=${trigger} />
    <div class="columns">
      <div class="stack">${
        trigger.trigger_type === "event"
          ? html`<${Deliveries} trigger=${trigger} first=${deliveries} />`
          : html`<${Fires} trigger=${trigger} first=${fires} />`
      }</div>
      <div class="stack">
        ${timed && html`<${Panel} class="first-when-narrow" title="Next ten" note=${trigger.timezone}>
          <div class="panel-body">${loaded(next, { what: "The next times", rows: 5 }, (ahead) =>
            ahead &&
            (trigger.enabled
              ? html`<${NextTimes} times=${ahead.times} tz=${trigger.timezone} />`
              : html`<p class="quiet">The trigger is off. Turned on now, it would be due as follows.</p>
                <${NextTimes} times=${ahead.times} tz=${trigger.timezone} />`))}</div></${Panel}>`}
        <${Facts} trigger=${trigger} />
        <${Template} trigger=${trigger} />
      </div>
    </div>`;
}

/** What the reader should know first. @param {{trigger: Api.TriggerAnswer}} props */
function Notices({ trigger }) {
  const notices = [
    !trigger.enabled && `Paused${trigger.pause_note ? `: ${trigger.pause_note}` : "."}`,
    trigger.obstacle && `${obstacleWords(trigger)}.`,
    trigger.last_error && `It cannot fire: ${trigger.last_error}`,
    trigger.pending_due_at && "A due time waits until the earlier job has ended.",
  ].filter(Boolean);
  return notices.map((text) => html`<p class="banner" key=${text}><${Icon} name=${trigger.enabled ? "warning" : "pause"} />
    <span>${text}</span></p>`);
}

