// What a panel shows while it has nothing to show: each says what is the matter and what to do.
import { Refused } from "../api.js";
import { html } from "../ui.js";
import { Icon } from "./icon.js";

/**
 * @param {{what: string, error: Error, again: () => void, small?: boolean}} props what: "This chart", to begin the sentence
 */
export function Failed({ what, error, again, small = true }) {
  const gone = error instanceof Refused && error.status === 404;
  return html`<div class="state ${small ? "state-small" : ""}" role="alert">
    <${Icon} name="warning" />
    <h2>${gone ? `${what} does not exist` : `${what} could not be read`}</h2>
    <p>${error.message}</p>
    ${!gone && html`<button class="button" type="button" onClick=${again}><${Icon} name="retry" />Try again</button>`}
  </div>`;
}

/** @param {{title: string, icon?: string, children?: Children}} props */
export function Empty({ title, icon = "jobs", children }) {
  return html`<div class="state"><${Icon} name=${icon} /><h2>${title}</h2>${children}</div>`;
}

const WIDTHS = [62, 78, 54, 70, 84, 58, 74, 66];

/** Lines where rows will be. @param {{rows?: number}} props */
export function Skeleton({ rows = 6 }) {
  return html`<div class="skeletons" role="status" aria-label="Loading">
    ${Array.from({ length: rows }, (_, i) => html`<span class="skeleton" key=${i}
      style=${{ width: `${WIDTHS[i % WIDTHS.length]}%` }} />`)}
  </div>`;
}

/**
 * A resource in each of its states; `draw` makes of its data what is seen.
 * @template T
 * @param {Resource<T>} resource
 * @param {{what: string, rows?: number}} words what: to begin a sentence; rows: of the skeleton
 * @param {(data: T) => Children} draw
 */
export function loaded(resource, { what, rows }, draw) {
  if (resource.data !== undefined) return draw(resource.data);
  if (resource.error) return html`<${Failed} what=${what} error=${resource.error} again=${resource.reload} />`;
  return resource.slow ? html`<${Skeleton} rows=${rows} />` : null;
}
