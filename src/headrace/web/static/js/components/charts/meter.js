import { html } from "../../ui.js";

/** @param {{value: number, label: string}} props from 0 to 1 */
export function Meter({ value, label }) {
  const percent = Math.round(100 * Math.min(1, Math.max(0, value)));
  return html`<span class="meter" role="progressbar" aria-label=${label} aria-valuemin="0" aria-valuemax="100"
    aria-valuenow=${percent}>
    <i style=${{ width: `${percent}%` }} />
  </span>`;
}

const MOST_CELLS = 16;

/** Places of a worker, taken and free. @param {{busy: number, all: number}} props */
export function Slots({ busy, all }) {
  const label = `${busy} of ${all} slots busy`;
  if (all > MOST_CELLS)
    return html`<span class="cell-progress"><${Meter} value=${busy / all} label=${label} /><span>${busy} of ${all}
      </span></span>`;
  return html`<span class="slots ${busy >= all ? "is-full" : ""}" role="img" aria-label=${label}>
    ${Array.from({ length: all }, (_, i) => html`<i key=${i} class=${i < busy ? "busy" : undefined} />`)}
  </span>`;
}
