import { statusWord } from "../lib/format.js";
import { html } from "../ui.js";
import { Icon } from "./icon.js";

/** A shape and a word. @param {{status: string, large?: boolean, children?: Children}} props */
export function Status({ status, large = false, children }) {
  return html`<span class="status status-${status} ${large ? "status-large" : ""}">
    <${Icon} name=${status} />${children ?? statusWord(status)}
  </span>`;
}
