import { api } from "../../api.js";
import { Icon } from "../../components/icon.js";
import { JsonTree } from "../../components/json_tree.js";
import { Panel } from "../../components/panel.js";
import { Empty, loaded } from "../../components/states.js";
import { RelativeTime } from "../../components/time.js";
import { useRowKeys } from "../../components/rows.js";
import { useResource } from "../../resource.js";
import { href, place, setQuery } from "../../router.js";
import { html, typed, useEffect, useState } from "../../ui.js";

const FILTERS = [
  ["who", "Who"],
  ["action", "Action"],
  ["target", "Target"],
  ["of", "Tenant"],
];

/** Who changed what. */
export function AuditTrail() {
  const { query } = place.value;
  const wanted = Object.fromEntries(FILTERS.map(([name]) => [name, query.get(name) ?? ""]));
  const cursor = query.get("cursor") ?? "";
  const { of: tenant, ...rest } = wanted;
  const audit = useResource(`audit ${JSON.stringify(wanted)} ${cursor}`, (signal) =>
    api.get("/admin/audit", { ...rest, tenant, limit: 50, cursor: cursor || null }, signal),
  );
  useRowKeys("change");
  const here = (/** @type {{cursor?: string}} */ more) => href("/admin/audit", { ...wanted, ...more });
  return html`<${Panel} title="Audit trail" note="changes and who made them">
    <div class="audit-filter">${FILTERS.map(
      ([name, label]) => html`<${Filter} key=${name} name=${name} label=${label} value=${wanted[name]} />`,
    )}</div>
    ${loaded(audit, { what: "The trail" }, (data) => html`
      ${
        data.items.length === 0
          ? html`<${Empty} title="No change matches" icon="search">${data.next_cursor && html`<p>A bounded window was searched; there may be older changes.</p>`}</${Empty}>`
          : html`<ul class="audit">${data.items.map((change) => html`<${Change} key=${change.id} change=${change} />`)}</ul>`
      }
      ${
        (cursor || data.next_cursor) &&
        html`<footer class="panel-foot"><span class="push actions">
        ${cursor && html`<a class="button button-small" href=${here({})}><${Icon} name="left" />Newest</a>`}
        ${data.next_cursor && html`<a class="button button-small" href=${here({ cursor: data.next_cursor })}>Older<${Icon} name="right" /></a>`}
      </span></footer>`
      }`)}
  </${Panel}>`;
}

/** What is typed stays while the trail is read. @param {{name: string, label: string, value: string}} props */
function Filter({ name, label, value }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return html`<label><span class="visually-hidden">${label}</span>
    <input class="input" placeholder=${label} value=${text} autocomplete="off"
      onInput=${typed(setText)}
      onChange=${() => setQuery({ [name]: text.trim(), cursor: null })} /></label>`;
}

/** @param {{change: Api.AuditAnswer}} props */
function Change({ change }) {
  const [open, setOpen] = useState(false);
  return html`<li class="audit-row">
    <button class="audit-head" type="button" data-row aria-expanded=${open} onClick=${() => setOpen(!open)}>
      <span class="soft"><${RelativeTime} at=${change.at} /></span><code>${change.action}</code>
      <span class="audit-target">${change.target}</span>
      <span class="soft">${change.who}${change.tenant ? html` <span class="quiet">of ${change.tenant}</span>` : ""}</span>
    </button>
    ${open && html`<${JsonTree} value=${change.detail} />`}
  </li>`;
}
