import { api } from "../../api.js";
import { Dialog } from "../../components/forms/dialog.js";
import { Field } from "../../components/forms/field.js";
import { say } from "../../components/shell/toast.js";
import { html, useState } from "../../ui.js";
import { pathOf } from "../triggers/change.js";

/** The name is typed, since nothing brings it back. @param {{trigger: any, done: () => void, close: () => void}} props */
export function DeleteDialog({ trigger, done, close }) {
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const submit = async () => {
    if (typed !== trigger.name) return setProblem(`Type ${trigger.name} to go on.`);
    setBusy(true);
    try {
      await api.delete(pathOf(trigger));
      say(`Deleted ${trigger.name}.`);
      close();
      done();
    } catch (error) {
      setBusy(false);
      setProblem(/** @type {Error} */ (error).message);
    }
  };
  return html`<${Dialog} title=${`Delete trigger ${trigger.name}?`} close=${close} onSubmit=${submit} foot=${html`
      <button class="button" type="button" onClick=${close}>Keep it</button>
      <button class="button button-danger" type="submit" disabled=${busy || typed !== trigger.name} aria-busy=${busy}>
        Delete trigger</button>`}>
    <div class="fields">
      <p>It fires no more. Its history and its jobs stay.</p>
      <${Field} label=${html`Type <code>${trigger.name}</code> to go on`} problem=${problem}>${(
        /** @type {any} */ attributes,
      ) =>
        html`<input ...${attributes} value=${typed} autocomplete="off" spellcheck=${false}
          onInput=${(/** @type {any} */ event) => setTyped(event.target.value)} />`}</${Field}>
    </div>
  </${Dialog}>`;
}
