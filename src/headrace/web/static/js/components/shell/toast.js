// What just happened because of the reader, with the way on. One at a time.
import { html, signal } from "../../ui.js";
import { Icon } from "../icon.js";

/** @typedef {{text: string, bad?: boolean, href?: string, go?: string}} Said */

/** @type {import("@preact/signals").Signal<Said | null>} */
const toast = signal(null);
/** @type {ReturnType<typeof setTimeout> | undefined} */
let leaving;

/** @param {string} text @param {{href?: string, go?: string}} [on] where to go on, and what that is called */
export function say(text, on = {}) {
  show({ text, ...on });
}

/** @param {string} what as "Not canceled." @param {unknown} error */
export function sayRefused(what, error) {
  show({ text: `${what} ${error instanceof Error ? error.message : ""}`, bad: true });
}

/** @param {Said} next */
function show(next) {
  clearTimeout(leaving);
  toast.value = next;
  leaving = setTimeout(() => (toast.value = null), next.bad ? 12_000 : 6000);
}

export function Toast() {
  const shown = toast.value;
  return html`<div role="status" aria-live="polite">
    ${
      shown &&
      html`<div class="toast">
      <${Icon} name=${shown.bad ? "warning" : "succeeded"} class=${shown.bad ? "is-warn" : "is-ok"} />
      <p>${shown.text}</p>
      ${shown.href && html`<a class="link" href=${shown.href}>${shown.go}</a>`}
      <button class="button button-plain button-icon button-small" type="button" aria-label="Dismiss"
        onClick=${() => (toast.value = null)}><${Icon} name="close" /></button>
    </div>`
    }
  </div>`;
}
