import { Refused } from "../../api.js";
import { html, useState } from "../../ui.js";
import { Dialog } from "./dialog.js";

/**
 * A form that is sent; what the server says of a field stands below it, what it says of none at the foot.
 * @param {object} props
 * @param {string} props.title
 * @param {string} props.does what its button says
 * @param {() => void} props.close
 * @param {() => Promise<void>} props.send
 * @param {boolean} [props.ready] whether there is something to send
 * @param {boolean} [props.danger] nothing brings back what it does away with
 * @param {(problems: Record<string, string>) => Children} props.children the fields
 */
export function FormDialog({ title, does, close, send, ready = true, danger = false, children }) {
  const [problems, setProblems] = useState(/** @type {Record<string, string>} */ ({}));
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    if (!ready || busy) return;
    setBusy(true);
    try {
      await send();
      close();
    } catch (error) {
      const named = error instanceof Refused ? error.fields : {};
      setProblems({ ...named, "": Object.keys(named).length ? "" : /** @type {Error} */ (error).message });
      setBusy(false);
    }
  };
  // Drawn anew between its input and its change, a checkbox would be as it was before.
  const mended = (/** @type {Event} */ event) => {
    if (/** @type {HTMLInputElement} */ (event.target).type !== "checkbox") setProblems({});
  };
  return html`<${Dialog} title=${title} close=${close} onSubmit=${submit} foot=${html`
      ${problems[""] && html`<p class="field-note is-bad" role="alert">${problems[""]}</p>`}
      <button class="button" type="button" onClick=${close}>Not now</button>
      <button class="button ${danger ? "button-danger" : "button-primary"}" type="submit" disabled=${busy || !ready} aria-busy=${busy}>${does}</button>`}>
    <div class="fields" onInput=${mended}>${children(problems)}</div>
  </${Dialog}>`;
}
