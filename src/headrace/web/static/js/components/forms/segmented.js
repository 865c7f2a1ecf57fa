import { html } from "../../ui.js";

/**
 * One of a few.
 * @param {{label: string, options: [string, string][], value: string, choose: (value: string) => void, class?: string}} props
 */
export function Segmented({ label, options, value, choose, class: extra = "" }) {
  return html`<div class="segmented ${extra}" role="group" aria-label=${label}>
    ${options.map(([name, text]) => html`<button key=${name} type="button" aria-pressed=${value === name}
      onClick=${() => choose(name)}>${text}</button>`)}
  </div>`;
}
