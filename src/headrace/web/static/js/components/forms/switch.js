import { html, ticked } from "../../ui.js";

/** On or off; `turn` is called with what is wanted. @param {{on: boolean, label: string, turn: (on: boolean) => void}} props */
export function Switch({ on, label, turn }) {
  return html`<label class="switch"><input type="checkbox" role="switch" checked=${on} aria-label=${label}
    onChange=${ticked(turn)} /><span /></label>`;
}
