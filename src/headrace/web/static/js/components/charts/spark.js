import { html } from "../../ui.js";

const WIDTH = 96;
const HEIGHT = 22;

/**
 * A small line; the figure beside it says how much.
 * @param {{values: number[], label: string, bad?: boolean, floor?: number}} props floor: so that one job is not a flood
 */
export function Spark({ values, label, bad = false, floor = 4 }) {
  const most = Math.max(floor, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const line = values
    .map((value, i) => `${(i * step).toFixed(1)} ${(HEIGHT - (value / most) * (HEIGHT - 2)).toFixed(1)}`)
    .join("L");
  return html`<svg class="spark ${bad ? "is-bad" : ""}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none"
    role="img" aria-label=${label}>
    <path class="fill" d="M0 ${HEIGHT}L${line}L${WIDTH} ${HEIGHT}z" /><path d="M${line}" />
  </svg>`;
}

/** Small bars, one a step, on a line that shows the time without any. @param {{values: number[], label: string, bad?: boolean}} props */
export function Bars({ values, label, bad = false }) {
  const most = Math.max(2, ...values);
  const step = WIDTH / values.length;
  const bars = values.map((value, i) => {
    const height = value ? Math.max(2, (value / most) * (HEIGHT - 1)) : 0.8;
    return `M${(i * step).toFixed(2)} ${HEIGHT}v${-height.toFixed(2)}h${(step * 0.68).toFixed(2)}V${HEIGHT}z`;
  });
  return html`<svg class="spark ${bad ? "is-bad" : ""}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none"
    role="img" aria-label=${label}><path class="bars" d=${bars.join("")} /></svg>`;
}
