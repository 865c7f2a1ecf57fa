// How a chart looks: scales, axes, lines; its colours come from the stylesheet.
import uPlot from "uplot";

import { dayMonth, hourMinute } from "../../lib/format.js";
import { zone } from "../../preferences.js";

/** @typedef {import("./chart.js").Series} Series */

/**
 * @typedef {object} Drawing
 * @property {Series[]} series
 * @property {(value: number) => string} format
 * @property {boolean} log
 * @property {{width: number, height: number}} size
 * @property {(u: uPlot) => void} onCursor
 * @property {boolean} long its times are told by days
 */

/** @param {Drawing} drawing @returns {uPlot.Options} */
export function options({ series, format, log, size, onCursor, long }) {
  const ink = colour("--ink-3");
  const grid = { stroke: colour("--line"), width: 1 };
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const time = (/** @type {number} */ s) => (long ? dayMonth(s * 1000, zone.value) : hourMinute(s * 1000, zone.value));
  return {
    ...size,
    legend: { show: false },
    padding: [10, 20, 0, 0],
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: { setCursor: [onCursor] },
    scales: {
      x: { time: true },
      y: log ? { distr: 3, range: logRange } : { range: (_u, _min, max) => [0, Math.max(4, max * 1.1)] },
    },
    axes: [
      {
        stroke: ink,
        font,
        grid: { show: false },
        ticks: { show: false },
        size: 26,
        space: 70,
        values: (_u, splits) => splits.map(time),
      },
      {
        stroke: ink,
        font,
        grid,
        ticks: { show: false },
        size: 46,
        gap: 6,
        space: 36,
        ...(log && { splits: (_u, _axis, min, max) => powers(min, max) }),
        values: (_u, splits) => splits.map(format),
      },
    ],
    series: [{}, ...series.map(line)],
  };
}

/** Powers of ten. @param {number} min @param {number} max */
function powers(min, max) {
  const first = Math.round(Math.log10(min));
  return Array.from({ length: Math.round(Math.log10(max)) - first + 1 }, (_, i) =>
    Number((10 ** (first + i)).toPrecision(6)),
  );
}

/** @type {uPlot.Range.Function} */
const logRange = (_u, min, max) => [
  10 ** Math.floor(Math.log10(Math.max(0.001, min || 0.001))),
  10 ** Math.ceil(Math.log10(Math.max(0.1, max || 1))),
];

/** @param {Series} one @returns {uPlot.Series} */
function line({ kind }) {
  const { paths } = uPlot;
  if (kind === "area") {
    return {
      stroke: colour("--accent"),
      width: 1.75,
      fill: colour("--accent-soft"),
      paths: paths.stepped?.({ align: 1 }),
      points: { show: false },
    };
  }
  if (kind === "bars") {
    return {
      stroke: "transparent",
      width: 0,
      fill: hatch(),
      paths: paths.bars?.({ size: [0.8], align: 1 }),
      points: { show: false },
    };
  }
  const dashed = kind === "dash";
  const stroke = colour(dashed ? "--ink-2" : "--accent");
  // A value between two gaps has no line: then it is a dot.
  const points = { show: true, size: 4, width: 0, fill: stroke, filter: alone };
  return { stroke, width: dashed ? 1.5 : 1.75, dash: dashed ? [4, 3] : undefined, points };
}

/** @param {uPlot} u @param {number} n of the series @param {boolean} show */
function alone(u, n, show) {
  const values = u.data[n];
  const is = (/** @type {number} */ i) => values[i] != null && values[i - 1] == null && values[i + 1] == null;
  return show ? [...values.keys()].filter(is) : null;
}

/** Canvas cannot read `light-dark()`: a probe can. @param {string} name */
function colour(name) {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** Stripes, so that failures are told by more than their hue. */
function hatch() {
  const tile = document.createElement("canvas");
  const ratio = devicePixelRatio;
  tile.width = tile.height = 5 * ratio;
  const ctx = /** @type {CanvasRenderingContext2D} */ (tile.getContext("2d"));
  ctx.scale(ratio, ratio);
  ctx.fillStyle = colour("--bad-soft");
  ctx.fillRect(0, 0, 5, 5);
  ctx.strokeStyle = colour("--bad");
  ctx.lineWidth = 1.7;
  ctx.beginPath();
  for (const shift of [-5, 0, 5]) {
    ctx.moveTo(shift - 1, 6);
    ctx.lineTo(shift + 6, -1);
  }
  ctx.stroke();
  const pattern = /** @type {CanvasPattern} */ (ctx.createPattern(tile, "repeat"));
  return () => pattern;
}
