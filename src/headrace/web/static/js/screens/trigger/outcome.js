import { Icon } from "../../components/icon.js";
import { html } from "../../ui.js";

/** Fired or skipped, as a shape and a word. @param {{outcome: string}} props */
export function Outcome({ outcome }) {
  return html`<span class="status"><${Icon} name=${outcome === "fired" ? "check" : "canceled"} />${outcome}</span>`;
}
