// A job's lines: only those in sight are drawn, so that ten thousand scroll as ten do.
import { plain, pieces } from "../lib/ansi.js";
import { precise, clock } from "../lib/format.js";
import { zone } from "../preferences.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "../ui.js";

/** @typedef {{line?: Api.LineAnswer, n?: number, rest?: string, rule?: string, notice?: string}} Row rest: one more line of its text */

const HEIGHT = 20;
// Rows above and below what is seen.
const SPARE = 20;

/** @param {number} level @returns {[string, string, string]} letter, word, class */
export function levelOf(level) {
  if (level >= 40) return ["E", level >= 50 ? "critical" : "error", "is-error"];
  if (level >= 30) return ["W", "warning", "is-warning"];
  return level >= 20 ? ["I", "info", ""] : ["D", "debug", "is-debug"];
}

/** Rows of lines: a rule where another attempt begins. @param {Api.LineAnswer[]} lines @returns {Row[]} */
export function rowsOf(lines) {
  /** @type {Row[]} */
  const rows = [];
  let run = 0;
  for (const [i, line] of lines.entries()) {
    if (line.run !== run) {
      run = line.run;
      rows.push({ rule: `Attempt ${run}, from ${clock(Date.parse(line.at), zone.peek())}` });
    }
    const [, ...rest] = line.message.split("\n");
    rows.push({ line, n: i + 1 }, ...rest.map((text) => ({ line, rest: text })));
  }
  return rows;
}

/**
 * @param {object} props
 * @param {Row[]} props.rows
 * @param {boolean} props.following
 * @param {(following: boolean) => void} props.follow
 * @param {string} props.seek words to mark
 * @param {number | null} props.target index of a row to bring into sight
 */
export function LogView({ rows, following, follow, seek, target }) {
  const frame = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(480);
  const byUs = useRef(0);

  useEffect(() => {
    const el = /** @type {HTMLDivElement} */ (frame.current);
    const observer = new ResizeObserver(() => setHeight(el.clientHeight));
    observer.observe(el);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const el = frame.current;
    if (!el || !following) return;
    el.scrollTop = el.scrollHeight;
    byUs.current = el.scrollTop;
  }, [rows.length, following]);
  useLayoutEffect(() => {
    const el = frame.current;
    if (el && target !== null) el.scrollTop = Math.max(0, target * HEIGHT - el.clientHeight / 2);
  }, [target]);

  const onScroll = () => {
    const el = /** @type {HTMLDivElement} */ (frame.current);
    setTop(el.scrollTop);
    const atEnd = el.scrollHeight - el.scrollTop - el.clientHeight < 2 * HEIGHT;
    // Who scrolls up wants to read.
    if (following && !atEnd && el.scrollTop < byUs.current) follow(false);
    byUs.current = el.scrollTop;
  };
  const first = Math.max(0, Math.floor(top / HEIGHT) - SPARE);
  const last = Math.min(rows.length, Math.ceil((top + height) / HEIGHT) + SPARE);
  return html`<div class="log" ref=${frame} tabindex="0" role="log" aria-label="Log lines" aria-live="off"
    onScroll=${onScroll}
    style=${{ height: `${Math.min(640, rows.length * HEIGHT + 18)}px` }}>
    <ol style=${{ height: `${rows.length * HEIGHT}px` }}>
      ${rows.slice(first, last).map((row, i) => html`<${LogRow} key=${first + i} row=${row} at=${first + i}
        seek=${seek} current=${target === first + i} />`)}
    </ol>
  </div>`;
}

/** @param {{row: Row, at: number, seek: string, current: boolean}} props */
function LogRow({ row, at, seek, current }) {
  const style = { top: `${at * HEIGHT}px` };
  if (!row.line)
    return html`<li class=${row.rule ? "run-rule" : "notice"} style=${style}>${row.rule ?? row.notice}</li>`;
  const { line, n, rest } = row;
  const [letter, word, kind] = levelOf(line.level);
  if (rest !== undefined) {
    return html`<li class="${kind} ${current ? "is-target" : ""}" style=${style}>
      <span class="n" /><time /><span /><span class="text">${marked(rest, seek, current)}</span>
    </li>`;
  }
  return html`<li class="${kind} ${current ? "is-target" : ""}" style=${style}>
    <a class="n" href=${`#L${n}`} aria-label=${`Line ${n}`} tabindex="-1">${n}</a>
    <time dateTime=${line.at}>${precise(Date.parse(line.at), zone.value)}</time>
    <abbr class="level" title=${`${word}, ${line.stream}`}>${letter}</abbr>
    <span class="text">${marked(line.message.split("\n", 1)[0], seek, current)}${line.fields && html` <span
      class="quiet">${fieldsText(line.fields)}</span>`}</span>
  </li>`;
}

/** @param {unknown} fields an object */
const fieldsText = (fields) =>
  Object.entries(/** @type {object} */ (fields))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");

/** What a search goes through. @param {Row} row */
export function textOf({ line, rest }) {
  if (!line) return "";
  if (rest !== undefined) return plain(rest);
  return plain(line.message.split("\n", 1)[0]) + (line.fields ? ` ${fieldsText(line.fields)}` : "");
}

/** @param {string} text @param {string} seek @param {boolean} current */
function marked(text, seek, current) {
  const parts = pieces(text);
  if (!seek) return parts.map((part) => (part.class ? html`<span class=${part.class}>${part.text}</span>` : part.text));
  const wanted = seek.toLowerCase();
  return parts.map((part) => {
    const found = [];
    let from = 0;
    for (
      let at = part.text.toLowerCase().indexOf(wanted);
      at >= 0;
      at = part.text.toLowerCase().indexOf(wanted, from)
    ) {
      found.push(
        part.text.slice(from, at),
        html`<mark class=${current ? "is-current" : undefined}>${part.text.slice(at, at + wanted.length)}</mark>`,
      );
      from = at + wanted.length;
    }
    return html`<span class=${part.class || undefined}>${found}${part.text.slice(from)}</span>`;
  });
}
