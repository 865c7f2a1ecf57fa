import { duration } from "../../lib/format.js";
import { html } from "../../ui.js";

const WIDTH = 64;

/**
 * A duration against what is usual for its definition: the band is p50 to p95, amber beyond.
 * @param {{seconds: number, usual?: {p50: number, p95: number}}} props
 */
export function UsualBar({ seconds, usual }) {
  if (!usual) return html`<span class="usual"><span>${duration(seconds)}</span></span>`;
  const slow = isSlow(seconds, usual);
  // p95 stands at five eighths, so that what is beyond it has somewhere to go.
  const scale = (WIDTH * 5) / 8 / Math.max(usual.p95, 1e-6);
  const at = (/** @type {number} */ s) => Math.min(WIDTH, s * scale);
  return html`<span class="usual ${slow ? "is-slow" : ""}"
    title=${`usual ${duration(usual.p50)}, p95 ${duration(usual.p95)}`}>
    <span>${duration(seconds)}</span>
    <svg viewBox="0 0 64 10" aria-hidden="true">
      <rect class="track" width="64" height="10" rx="2" />
      <rect class="band" x=${at(usual.p50)} width=${Math.max(1, at(usual.p95) - at(usual.p50))} height="10" />
      <rect class="bar" y="3" width=${Math.max(2, at(seconds))} height="4" rx="1" />
    </svg>
  </span>`;
}

/** @param {number} seconds @param {{p95: number} | undefined} usual */
export const isSlow = (seconds, usual) => usual !== undefined && seconds > usual.p95 * 1.05 && seconds > 0.05;
