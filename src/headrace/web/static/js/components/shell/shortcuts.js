import { bindingsNow } from "../../keyboard.js";
import { html, signal } from "../../ui.js";
import { Dialog } from "../forms/dialog.js";

export const shortcutsShown = signal(false);

/** The list of keys that hold where the reader is. */
export function Shortcuts() {
  if (!shortcutsShown.value) return null;
  return html`<${Dialog} title="Keys" close=${() => (shortcutsShown.value = false)}>
    <ul class="shortcuts">
      ${bindingsNow().map(({ keys, says }) => html`<li key=${keys}><span>${says}</span><span>
        ${keys.split(" ").map((key) => html`<kbd>${key}</kbd>`)}</span></li>`)}
    </ul>
  </${Dialog}>`;
}
