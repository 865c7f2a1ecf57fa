// One trigger: its rule, when it fires next, what became of its due times, and what can be done with it.
import { api } from "../api.js";
import { Icon } from "../components/icon.js";
import { NextTimes } from "../components/forms/next_times.js";
import { Panel } from "../components/panel.js";
import { Failed, Loaded, Skeleton } from "../components/states.js";
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
  const path = `/jobs/triggers/${encodeURIComponent(params.id)}`;
  const trigger = useResource(`trigger ${params.id}`, (signal) => api.get(path, {}, signal));
  const found = trigger.data;
  const next = useResource(`next of ${params.id} ${found?.trigger_type} ${found?.version}`, (signal) =>
    found?.trigger_type === "schedule" ? api.get(`${path}/preview`, { count: 10 }, signal) : Promise.resolve(null),
  );
  const lines = useResource(`lines of ${params.id} ${found?.trigger_type}`, (signal) =>
    found ? api.get(`${path}/${found.trigger_type === "event" ? "deliveries" : "fires"}`, { limit: 25 }, signal) : Promise.resolve(null),
  );
  const reload = () => [trigger, next, lines].forEach((one) => one.reload());
  useWhenChanged(counted, reload, 5000);
  useEffect(() => {
    if (found) document.title = `${found.name} · Headrace`;
  }, [found?.name]);
  if (!found) {
    if (trigger.error)
      return html`<section class="panel"><${Failed} what="This trigger" error=${trigger.error} again=${trigger.reload}
        small=${false} /></section>`;
    return trigger.slow ? html`<section class="panel"><${Skeleton} rows=${10} /></section>` : null;
  }
  const show = (/** @type {any} */ changed) => trigger.change(() => changed);
  const timed = found.trigger_type === "schedule";
  return html`
    <header class="stack stack-tight">
      <nav class="crumbs" aria-label="Where this is">
        <a href=${href("/triggers")}>Triggers</a><span aria-hidden="true">/</span><code>${found.name}</code>
      </nav>
      <div class="page-head">
        ${may("triggers.change") && html`<${Switch} on=${found.enabled} label=${`${found.name} enabled`}
          turn=${(/** @type {boolean} */ on) => turn(found, on, show).then(reload)} />`}
        <h1>${found.name}</h1>
        <span class="rule">${firesWords(found, next.data?.words)}${timed && found.cron && html` <code class="quiet">
          ${found.cron}</code>`}</span>
        <${Actions} trigger=${found} show=${show} reload=${reload} />
      </div>
    </header>
    <${Notices} trigger=${found} />
    <div class="columns">
      <div class="stack">${
        found.trigger_type === "event"
          ? html`<${Deliveries} trigger=${found} first=${lines} />`
          : html`<${Fires} trigger=${found} first=${lines} />`
      }</div>
      <div class="stack">
        ${timed && html`<${Panel} class="first-when-narrow" title="Next ten" note=${found.timezone}>
          <div class="panel-body"><${Loaded} of=${next} what="The next times" rows=${5}>${(/** @type {any} */ ahead) =>
            ahead &&
            (found.enabled
              ? html`<${NextTimes} times=${ahead.times} tz=${found.timezone} />`
              : html`<p class="quiet">It is off. Turned on now, it would be due next as follows.</p>
                <${NextTimes} times=${ahead.times} tz=${found.timezone} />`)}</${Loaded}></div></${Panel}>`}
        <${Facts} trigger=${found} />
        <${Template} trigger=${found} />
      </div>
    </div>`;
}

/** What the reader should know first. @param {{trigger: any}} props */
function Notices({ trigger }) {
  const said = [
    !trigger.enabled && `Paused${trigger.pause_note ? `: ${trigger.pause_note}` : "."}`,
    trigger.obstacle && `${obstacleWords(trigger)}.`,
    trigger.last_error && `It cannot fire: ${trigger.last_error}`,
    trigger.pending_due_at && "A due time waits until the run before it has ended.",
  ].filter(Boolean);
  return said.map((text) => html`<p class="banner" key=${text}><${Icon} name=${trigger.enabled ? "warning" : "pause"} />
    <span>${text}</span></p>`);
}

