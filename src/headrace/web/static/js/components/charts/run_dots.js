import { dotOf, runsWords } from "../../lib/triggers.js";
import { html } from "../../ui.js";

const TEN = 10;

/** The last ten runs, oldest left, with a spoken summary. @param {{runs: Api.TriggerRunAnswer[]}} props newest first */
export function RunDots({ runs }) {
  const ten = Array.from({ length: TEN }, (_, i) => runs[TEN - 1 - i]);
  const says = runsWords(runs);
  return html`<span class="run-dots" role="img" aria-label=${says} title=${says}>
    ${ten.map((run, i) => html`<i key=${i} class=${dotOf(run) || undefined} />`)}
  </span>`;
}

/** @type {[string, string][]} */
const SHAPES = [
  ["", "succeeded"],
  ["failed", "failed"],
  ["skipped", "skipped"],
  ["running", "running"],
];

export function RunLegend() {
  return html`<p class="legend">${SHAPES.map(([shape, word]) => html`<span key=${word} class="run-dots"><i
    class=${shape || undefined} /> ${word}</span>`)}</p>`;
}
