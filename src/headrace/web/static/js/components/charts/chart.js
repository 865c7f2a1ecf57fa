// Charts on canvas, drawn anew when the theme changes; a sentence says what is to be seen.
import uPlot from "uplot";

import { hourMinute, dayMonth } from "../../lib/format.js";
import { theme, zone } from "../../preferences.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "../../ui.js";
import { options } from "./chart_drawing.js";

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {"area" | "line" | "dash" | "bars"} kind area and bars are stepped; bars are hatched, for failures
 * @property {(number | null)[]} values
 * @property {boolean} [bad]
 */
/**
 * @typedef {object} Props
 * @property {number[]} times seconds since the epoch
 * @property {Series[]} series
 * @property {string} says what a sighted person would conclude
 * @property {(value: number) => string} format
 * @property {boolean} [log] a logarithmic scale
 * @property {number} [height]
 */

const DAY = 86_400;
const dark = matchMedia("(prefers-color-scheme: dark)");

/** @param {Props} props */
export function Chart({ times, series, says, format, log = false, height = 220 }) {
  const frame = useRef(/** @type {HTMLDivElement | null} */ (null));
  const plot = useRef(/** @type {uPlot | null} */ (null));
  const [tip, setTip] = useState(/** @type {{at: number, left: number} | null} */ (null));
  const [scheme, setScheme] = useState(dark.matches);
  useEffect(() => {
    const listen = () => setScheme(dark.matches);
    dark.addEventListener("change", listen);
    return () => dark.removeEventListener("change", listen);
  }, []);

  const data = padded(times, series);
  const shape = [series.map((one) => one.kind).join(), theme.value, scheme, log, zone.value].join(" ");
  useLayoutEffect(() => {
    const el = /** @type {HTMLDivElement} */ (frame.current);
    const size = () => ({ width: Math.max(120, el.clientWidth), height });
    const onCursor = (/** @type {uPlot} */ u) => {
      const { idx, left } = u.cursor;
      setTip(
        idx == null || left == null || left < 0 || idx >= u.data[0].length - 1
          ? null
          : { at: idx, left: left + u.bbox.left / devicePixelRatio },
      );
    };
    const made = new uPlot(
      options({ series, format, log, size: size(), onCursor, long: spanOf(times) > 1.5 * DAY }),
      data,
      el,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize(size()));
    observer.observe(el);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape, spanOf(times)]);
  useEffect(() => plot.current?.setData(data), [times, ...series.map((one) => one.values)]);

  return html`<figure class="chart" role="img" aria-label=${says} style=${{ "--chart-height": `${height}px` }}>
    <div ref=${frame} />
    ${tip && html`<${Tip} at=${tip.at} left=${tip.left} width=${frame.current?.clientWidth ?? 0} times=${times}
      series=${series} format=${format} />`}
  </figure>`;
}

/** @param {Pick<Props, "times" | "series" | "format"> & {at: number, left: number, width: number}} props */
function Tip({ at, left, width, times, series, format }) {
  const time = times[at] * 1000;
  const style = left > width / 2 ? { right: `${width - left + 10}px` } : { left: `${left + 10}px` };
  return html`<div class="chart-tip menu" style=${style} aria-hidden="true">
    <p class="quiet">
      ${spanOf(times) > 1.5 * DAY ? `${dayMonth(time, zone.value)} ` : ""}${hourMinute(time, zone.value)}</p>
    <dl>${series.map((one) => html`<dt class=${one.bad ? "is-bad" : undefined}>${one.name}</dt>
      <dd class=${one.bad ? "is-bad" : undefined}>
      ${one.values[at] == null ? "none" : format(Number(one.values[at]))}</dd>`)}</dl>
  </div>`;
}

/**
 * Values hold from their time to the next: the last has a width too.
 * @param {number[]} times
 * @param {Series[]} series
 * @returns {uPlot.AlignedData}
 */
function padded(times, series) {
  const step = times.length > 1 ? times[1] - times[0] : 60;
  const end = (/** @type {Series} */ { kind, values }) =>
    kind === "area" ? (values[values.length - 1] ?? null) : null;
  return [[...times, times[times.length - 1] + step], ...series.map((one) => [...one.values, end(one)])];
}

/** @param {number[]} times */
const spanOf = (times) => (times.length < 2 ? 0 : times[times.length - 1] - times[0]);
