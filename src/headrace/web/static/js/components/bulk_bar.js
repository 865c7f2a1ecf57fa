import { html } from "../ui.js";
import { Icon } from "./icon.js";
import { Meter } from "./charts/meter.js";

/**
 * What is selected and what may be done with it; or how far that is.
 * @param {object} props
 * @param {Children} props.says
 * @param {Children} [props.children] buttons
 * @param {() => void} props.clear
 * @param {{done: number, all: number, stop?: () => void} | null} [props.progress]
 */
export function BulkBar({ says, children, clear, progress }) {
  return html`<div class="bulk-bar" role="toolbar" aria-label="Selected">
    <span>${says}</span>
    ${
      progress
        ? html`<${Meter} value=${progress.all ? progress.done / progress.all : 1} label="Progress" />
          ${progress.stop && html`<button class="button button-small" type="button" onClick=${progress.stop}><${Icon}
            name="stop" />Stop</button>`}`
        : html`<span class="split wide-only" />${children}`
    }
    ${!(progress && progress.stop) && html`<button class="button button-plain button-small button-icon" type="button"
      aria-label="Clear selection" onClick=${clear}><${Icon} name="close" /></button>`}
  </div>`;
}
