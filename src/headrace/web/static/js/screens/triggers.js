// Every trigger: when it fires, how it has been doing, and what all of them will do.
import { api } from "../api.js";
import { now } from "../clock.js";
import { Select } from "../components/forms/field.js";
import { Icon } from "../components/icon.js";
import { RunLegend } from "../components/charts/run_dots.js";
import { Empty, loaded } from "../components/states.js";
import { Tabs } from "../components/tabs.js";
import { useKeys } from "../keyboard.js";
import { awaitsTime, countWords } from "../lib/triggers.js";
import { ownZone } from "../lib/in_zone.js";
import { counted } from "../live.js";
import { zone } from "../preferences.js";
import { useEvery, useResource, useWhenChanged } from "../resource.js";
import { href, place, setQuery } from "../router.js";
import { may } from "../session.js";
import { html, useState } from "../ui.js";
import { Calendar } from "./triggers/calendar.js";
import { EditDialog } from "./triggers/edit.js";
import { TriggersTable } from "./triggers/table.js";

const MOST = 200;
/** @type {[Api.TriggerAnswer["trigger_type"] | "", string][]} */
const TYPES = [
  ["", "All"],
  ["schedule", "Schedules"],
  ["event", "Events"],
  ["init", "Once"],
];

export function Triggers() {
  const { query } = place.value;
  const type = TYPES.find(([name]) => name === query.get("type"))?.[0] ?? "";
  const definition = query.get("definition") ?? "";
  const cursor = query.get("cursor") ?? "";
  const triggers = useResource(`triggers ${type} ${definition} ${cursor}`, (signal) =>
    api.get("/jobs/triggers/overview", { trigger_type: type || null, definition, cursor, limit: MOST }, signal),
  );
  const definitions = useResource("definitions", (signal) => api.get("/definitions", { limit: 500 }, signal));
  useWhenChanged(counted, triggers.reload, 5000);
  const awaited = (triggers.data?.items ?? []).some((one) => awaitsTime(one.trigger, now.value));
  useEvery(() => awaited && triggers.reload(), 1000);
  const [editing, setEditing] = useState(/** @type {{trigger?: Api.TriggerAnswer} | null} */ (null));
  const create = () => setEditing({});
  useKeys(may("triggers.change") ? [{ keys: "n", says: "New trigger", does: create }] : []);

  const keys = [...new Set([...(definitions.data?.items ?? []).map(({ key }) => key), definition])];
  const filtered = type !== "" || definition !== "";
  return html`
    <header class="page-head">
      <h1>Triggers</h1>
      ${triggers.data && html`<span class="quiet">${countOf(triggers.data)}</span>`}
      <div class="actions">
        ${may("triggers.change") && html`<button class="button button-primary" type="button" onClick=${create}>
          <${Icon} name="plus" />New trigger</button>`}
      </div>
    </header>
    <div class="stack stack-tight">
      <div class="filter-row">
        <${Tabs} label="Type" tabs=${TYPES.map(([name, word]) => ({ name: word, href: href("/triggers", { type: name, definition }), current: type === name }))} />
        <${Select} attributes=${{ class: "input", "aria-label": "Definition" }} value=${definition}
          options=${[["", "Any definition"], ...keys.filter(Boolean).map((key) => [key, key])]}
          choose=${(/** @type {string} */ key) => setQuery({ definition: key, cursor: null })} />
      </div>
      <section class="panel ${triggers.data ? "" : "panel-rows"}" aria-label="Triggers">
        ${loaded(triggers, { what: "The triggers", rows: 10 }, (data) =>
          data.items.length === 0
            ? html`<${NoTriggers} filtered=${filtered} create=${create} />`
            : html`<${TriggersTable} triggers=${triggers} edit=${(/** @type {Api.TriggerAnswer} */ trigger) => setEditing({ trigger })} />
              <${Foot} next=${data.next_cursor} cursor=${cursor} />`)}
      </section>
    </div>
    <${Calendar} />
    ${editing && html`<${EditDialog} trigger=${editing.trigger} definition=${definition}
      close=${() => setEditing(null)} saved=${triggers.reload} />`}`;
}

/** @param {Page<Api.TriggerSummaryAnswer>} page */
const countOf = ({ items, next_cursor }) =>
  countWords(
    items.length,
    items.map((one) => one.trigger),
  ) + (next_cursor ? " on this page" : "");

/** @param {{filtered: boolean, create: () => void}} props */
function NoTriggers({ filtered, create }) {
  if (filtered)
    return html`<${Empty} title="No trigger matches" icon="triggers"><p>No trigger has this type and this definition.</p>
      <a class="button" href=${href("/triggers")}>All triggers</a></${Empty}>`;
  return html`<${Empty} title="No triggers yet" icon="triggers">
    <p>A trigger enqueues jobs by itself: on a schedule, on an event, or once for each version of your code.</p>
    ${
      may("triggers.change")
        ? html`<button class="button" type="button" onClick=${create}><${Icon} name="plus" />New trigger</button>`
        : html`<p class="quiet">Somebody who may change triggers can make one here.</p>`
    }
  </${Empty}>`;
}

/** @param {{next?: string | null, cursor: string}} props */
function Foot({ next, cursor }) {
  const here = Object.fromEntries(place.value.query);
  return html`<footer class="panel-foot">
    <${RunLegend} />
    <span class="push">Next runs in ${zone.value === "UTC" ? "UTC" : `your zone, ${ownZone()}`}</span>
    ${cursor && html`<a class="button button-small" href=${href("/triggers", { ...here, cursor: null })}>First page</a>`}
    ${next && html`<a class="button button-small" href=${href("/triggers", { ...here, cursor: next })}>Next page<${Icon}
      name="right" /></a>`}
  </footer>`;
}
