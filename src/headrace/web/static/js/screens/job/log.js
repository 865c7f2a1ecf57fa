// A job's lines: all there are, then those that come; filtered, searched and followed here.
import { Download } from "../../components/download.js";
import { Icon } from "../../components/icon.js";
import { LogView, rowsOf, textOf } from "../../components/log_view.js";
import { Panel } from "../../components/panel.js";
import { Segmented } from "../../components/forms/segmented.js";
import { Failed } from "../../components/states.js";
import { useKeys } from "../../keyboard.js";
import { plural } from "../../lib/format.js";
import { place } from "../../router.js";
import { html, typed, useEffect, useMemo, useState } from "../../ui.js";
import { MOST_LINES, useLines } from "./lines.js";

const LEVELS = /** @type {[string, string][]} */ ([
  ["0", "Debug"],
  ["20", "Info"],
  ["30", "Warning"],
  ["40", "Error"],
]);

/** @param {{job: Api.Job}} props */
export function Log({ job }) {
  const { lines, ended, error, again, cut } = useLines(job);
  const [following, follow] = useState(true);
  const [level, setLevel] = useState("0");
  const [stream, setStream] = useState("");
  const [seek, setSeek] = useState("");
  const [hit, setHit] = useState(0);
  // What was asked for last is brought into sight: a line by its address, or a hit.
  const [aim, setAim] = useState(/** @type {"line" | "hit"} */ ("line"));

  const streams = useMemo(() => [...new Set(lines.map((line) => line.stream))], [lines]);
  const rows = useMemo(() => {
    const kept = rowsOf(lines).filter(
      ({ line }) => !line || (line.level >= Number(level) && (!stream || line.stream === stream)),
    );
    return cut
      ? [{ notice: `Only the newest ${MOST_LINES.toLocaleString("en")} lines are shown; the file has all.` }, ...kept]
      : kept;
  }, [lines, level, stream, cut]);
  const hits = useMemo(() => {
    const wanted = seek.toLowerCase();
    return wanted ? rows.flatMap((row, i) => (row.line && textOf(row).toLowerCase().includes(wanted) ? [i] : [])) : [];
  }, [rows, seek]);
  const linked = linkedRow(place.value.hash);
  const target = aim === "hit" && hits.length ? hits[hit % hits.length] : linked ? rows.findIndex(linked) : null;
  useEffect(() => {
    setAim("line");
    if (linked) follow(false);
  }, [place.value.hash]);
  const live = !ended && !error;

  const step = (/** @type {number} */ by) => {
    if (!hits.length) return;
    follow(false);
    setAim("hit");
    setHit((hit + by + hits.length) % hits.length);
  };
  const search = (/** @type {string} */ words) => {
    setSeek(words);
    setHit(0);
    setAim("hit");
    if (words) follow(false);
  };
  useKeys([
    { keys: "f", says: "Follow the log", does: () => follow(!following) },
    { keys: "n", says: "Next hit in the log", does: () => step(1) },
    { keys: "N", says: "Hit before", does: () => step(-1) },
    { keys: "/", says: "Search the log", does: () => document.getElementById("log-search")?.focus() },
  ]);

  const head = html`
    ${
      live &&
      html`<span class="live-state push ${following ? "" : "is-waiting"}"><span class="live-dot" />
        ${following ? "Following" : "Not following"}</span>
      <button class="button button-small" type="button" onClick=${() => follow(!following)}><${Icon}
        name=${following ? "pause" : "play"} />${following ? "Pause" : "Follow"}</button>`
    }
    ${lines.length > 0 && html`<${Download} path="/jobs/{job_id}/logs" values=${{ job_id: job.id, format: "text" }}
      name=${`job-${job.id}.log`} label="Download the log" class=${live ? "" : "push"} />`}`;
  const note = lines.length ? plural(lines.length, "line") : "";
  return html`<${Panel} title="Log" note=${note} head=${head}>
    ${
      lines.length > 0 &&
      html`<div class="log-tools">
      <${Segmented} label="Lowest level" options=${LEVELS} value=${level} choose=${setLevel} />
      ${streams.length > 1 && html`<${Segmented} class="wide-only" label="Stream"
        options=${[["", "All"], ...streams.map((name) => [name, name])]} value=${stream} choose=${setStream} />`}
      <div class="search"><${Icon} name="search" /><input id="log-search" aria-label="Search this log" placeholder="Search this log" value=${seek}
        autocomplete="off" spellcheck=${false}
        onInput=${typed(search)}
        onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") /** @type {HTMLElement} */ (event.target).blur();
        }} />
        ${seek && html`<span class="quiet" role="status">
          ${hits.length ? `${(hit % hits.length) + 1} of ${hits.length}` : "none"}</span>`}</div>
    </div>`
    }
    ${error && html`<${Failed} what="The log" error=${error} again=${again} />`}
    ${lines.length > 0 && html`<${LogView} rows=${rows} following=${following && live} follow=${follow} seek=${seek}
      target=${target} />`}
    ${lines.length === 0 && !error && html`<div class="state state-small"><p>${emptyWords(job.status, ended)}</p>
      </div>`}
  </${Panel}>`;
}

/** @param {string} status @param {boolean} ended */
function emptyWords(status, ended) {
  if (status === "queued" || status === "scheduled") return "The job has not started, so there are no lines yet.";
  return ended ? "The job has no log lines." : "No lines yet. New lines appear here.";
}

/** What an address means: `L12` is the line with this number, `R2-31` one of an attempt. @param {string} hash */
function linkedRow(hash) {
  const [, n, run, seq] = hash.match(/^(?:L(\d+)|R(\d+)-(\d+))$/)?.map(Number) ?? [];
  if (!n && !run) return null;
  return (/** @type {import("../../components/log_view.js").Row} */ row) =>
    row.n !== undefined && (n ? row.n === n : row.line?.run === run && row.line.seq === seq);
}
