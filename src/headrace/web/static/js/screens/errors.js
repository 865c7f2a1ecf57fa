// What fails, alike failures counted together: read once, mended at once.
import { api } from "../api.js";
import { useBulk } from "../components/bulk_operation.js";
import { useRowKeys } from "../components/rows.js";
import { Segmented } from "../components/forms/segmented.js";
import { Empty, loaded } from "../components/states.js";
import { absolute, plural } from "../lib/format.js";
import { changedMuch, counted } from "../live.js";
import { zone } from "../preferences.js";
import { useResource, useWhenChanged } from "../resource.js";
import { place, setQuery } from "../router.js";
import { html } from "../ui.js";
import { Kind, isRising } from "./errors/kind.js";

/** @type {["1h" | "6h" | "24h" | "7d", string][]} */
const WINDOWS = [
  ["1h", "1 h"],
  ["6h", "6 h"],
  ["24h", "24 h"],
  ["7d", "7 d"],
];

export function Errors() {
  const { query } = place.value;
  const window = WINDOWS.find(([name]) => name === query.get("window"))?.[0] ?? "24h";
  const definition = query.get("definition");
  const open = query.get("open");
  const errors = useResource(`errors ${window} ${definition}`, (signal) =>
    api.get("/errors", { window, definition }, signal),
  );
  useWhenChanged(counted, errors.reload, 5000);
  useWhenChanged(changedMuch, errors.reload, 5000);
  useRowKeys("error");
  const bulk = useBulk(errors.reload);

  const kinds = errors.data?.items ?? [];
  const rising = kinds.filter(isRising).length;
  const first = kinds.find(isRising);
  const note = kinds.length > 0 && `${plural(kinds.length, "kind")}${rising ? `, ${rising} rising` : ""}`;
  return html`
    <header class="page-head">
      <h1>Errors</h1>${note && html`<span class="quiet">${note}</span>`}
      ${
        definition &&
        html`<span class="token"><span><b>definition:</b>${definition}</span>
        <button type="button" aria-label=${`Remove definition:${definition}`}
          onClick=${() => setQuery({ definition: null })}>×</button></span>`
      }
      <div class="actions"><${Segmented} label="Time range" options=${WINDOWS} value=${window}
        choose=${(/** @type {string} */ value) => setQuery({ window: value === "24h" ? null : value })} /></div>
    </header>
    <section class="panel" aria-label="Errors by kind">
      ${loaded(errors, { what: "The errors", rows: 8 }, (data) =>
        data.items.length === 0
          ? html`<${Empty} title="Nothing failed" icon="succeeded"><p>No attempt failed in this time.</p></${Empty}>`
          : html`<div class="error-group error-head" aria-hidden="true"><span>Error, similar ones counted together</span>
              <span>Trend</span><span class="num">Attempts</span><span class="num">Last seen</span><span /></div>
            <ul>${data.items.map(
              (kind) => html`<${Kind} key=${kind.fingerprint} kind=${kind} first=${kind === first}
              open=${open === kind.fingerprint} retry=${(/** @type {Api.BulkFilter} */ filter) => bulk.prepare("retry", filter)} />`,
            )}</ul>
            <footer class="panel-foot"><span>Numbers, ids and quoted values are ignored when errors are compared.</span>
              ${
                data.searched_to > data.since &&
                html`<span class="push">Too many failures for this window:
                counted since ${absolute(Date.parse(data.searched_to), zone.value)}.</span>`
              }</footer>`)}
    </section>
    ${bulk.view}`;
}
