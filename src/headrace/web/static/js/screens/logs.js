// Lines of all jobs: sought, followed, and each with an address.
import { api } from "../api.js";
import { Select } from "../components/forms/field.js";
import { Icon } from "../components/icon.js";
import { Segmented } from "../components/forms/segmented.js";
import { Empty, Failed, Skeleton } from "../components/states.js";
import { useRowKeys } from "../components/rows.js";
import { useKeys } from "../keyboard.js";
import { absolute, plural } from "../lib/format.js";
import { zone } from "../preferences.js";
import { useResource } from "../resource.js";
import { place, setQuery } from "../router.js";
import { html, typed, useEffect, useState } from "../ui.js";
import { Hit } from "./logs/hit.js";
import { SPANS, useHits } from "./logs/hits.js";

/** @type {[string, string][]} */
const LEVELS = [
  ["", "All"],
  ["20", "Info"],
  ["30", "Warning"],
  ["40", "Error"],
];
/** @type {[string, string][]} */
const TIMES = [
  ["15m", "15 m"],
  ["1h", "1 h"],
  ["24h", "24 h"],
  ["7d", "7 d"],
  ["", "All"],
];
const PATIENCE = 350;

export function Logs() {
  const { query } = place.value;
  const wanted = {
    query: query.get("q") ?? "",
    level: query.get("level") ?? "",
    definition: query.get("definition") ?? "",
    span: (query.get("span") ?? "") in SPANS ? (query.get("span") ?? "") : "",
  };
  const [tail, setTail] = useState(false);
  const hits = useHits(wanted, tail);
  const definitions = useResource("definitions", (signal) => api.get("/definitions", { limit: 500 }, signal));
  const keys = [
    ...new Set([...(definitions.data?.items ?? []).map((one) => one.key), wanted.definition]),
  ]
    .filter(Boolean)
    .sort();
  useRowKeys("line");
  useKeys([
    { keys: "/", says: "Search", does: () => document.getElementById("logs-search")?.focus() },
    { keys: "f", says: "Follow", does: () => setTail(!tail) },
  ]);
  return html`
    <header class="page-head">
      <h1>Logs</h1>
      <span class="quiet">${hits.lines.length > 0 && `${plural(hits.lines.length, "line")}, newest first`}</span>
      <div class="actions">
        ${tail && html`<span class="live-state"><span class="live-dot" />Following</span>`}
        <button class="button" type="button" aria-pressed=${tail} onClick=${() => setTail(!tail)}><${Icon}
          name=${tail ? "pause" : "play"} />${tail ? "Pause" : "Follow"}</button>
      </div>
    </header>
    <section class="panel" aria-label="Lines">
      <div class="log-tools log-tools-first">
        <${Words} value=${wanted.query} />
        <${Segmented} label="Lowest level" options=${LEVELS} value=${wanted.level}
          choose=${(/** @type {string} */ level) => setQuery({ level })} />
        <${Segmented} label="Time" options=${TIMES} value=${wanted.span}
          choose=${(/** @type {string} */ span) => setQuery({ span })} />
        <${Select} attributes=${{ class: "input", "aria-label": "Definition" }} value=${wanted.definition}
          options=${[["", "All definitions"], ...keys.map((key) => [key, key])]}
          choose=${(/** @type {string} */ definition) => setQuery({ definition })} />
      </div>
      ${hits.error && html`<${Failed} what="The lines" error=${hits.error} again=${hits.again} />`}
      ${
        hits.lines.length > 0 &&
        html`<ol class="hits" aria-label="Lines">${hits.lines.map(
          (line) => html`<${Hit}
        key=${`${line.job_id} ${line.run} ${line.seq}`} line=${line} words=${wanted.query} />`,
        )}</ol>`
      }
      ${hits.lines.length === 0 && !hits.error && (hits.busy ? hits.slow && html`<${Skeleton} rows=${10} />` : html`<${None} wanted=${wanted} />`)}
      ${
        !hits.error &&
        !hits.busy &&
        (hits.lines.length > 0 || hits.cursor) &&
        html`<footer class="panel-foot">
        <span>${hits.searchedTo ? `Searched back to ${absolute(Date.parse(hits.searchedTo), zone.value)}.` : "All lines were searched."}</span>
        ${hits.cursor && html`<button class="button button-small push" type="button" onClick=${hits.more}>Older lines</button>`}
      </footer>`
      }
    </section>`;
}

/** Words are sought once the writer pauses. @param {{value: string}} props */
function Words({ value }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    const timer = setTimeout(() => text !== value && setQuery({ q: text }), PATIENCE);
    return () => clearTimeout(timer);
  }, [text]);
  return html`<form class="search" role="search" onSubmit=${(/** @type {Event} */ event) => {
    event.preventDefault();
    setQuery({ q: text });
  }}><${Icon} name="search" /><input id="logs-search" aria-label="Search all logs" value=${text} autocomplete="off"
    title='words, "a phrase", prefix*, -excluded; or ~text for any part of a word' spellcheck=${false}
    onInput=${typed(setText)} /><kbd class="wide-only" aria-hidden="true">/</kbd></form>`;
}

/** @param {{wanted: Record<string, string>}} props */
function None({ wanted }) {
  const filtered = Object.values(wanted).some(Boolean);
  return html`<${Empty} title=${filtered ? "No line matches" : "No lines yet"} icon="logs">
    <p>${filtered ? "Words are whole words; write ~text to find any part of one." : "What jobs print and log appears here."}</p>
    ${
      filtered &&
      html`<button class="button" type="button"
      onClick=${() => setQuery({ q: null, level: null, definition: null, span: null })}>All lines</button>`
    }
  </${Empty}>`;
}
