import { api } from "../../api.js";
import { Dialog } from "../../components/forms/dialog.js";
import { Field } from "../../components/forms/field.js";
import { say } from "../../components/shell/toast.js";
import { html, typed, useState } from "../../ui.js";

/** The name is typed, since nothing brings it back. @param {{trigger: Api.TriggerAnswer, done: () => void, close: () => void}} props */
export function DeleteDialog({ trigger, done, close }) {
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const submit = async () => {
    if (name !== trigger.name) return setProblem(`Type ${trigger.name} to continue.`);
    setBusy(true);
    try {
      await api.delete("/jobs/triggers/{trigger_id}", { trigger_id: trigger.id });
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
      <button class="button button-danger" type="submit" disabled=${busy || name !== trigger.name} aria-busy=${busy}>
        Delete trigger</button>`}>
    <div class="fields">
      <p>The trigger is deleted. Its fires and its jobs stay.</p>
      <${Field} label=${html`Type <code>${trigger.name}</code> to continue`} problem=${problem}>${(
        /** @type {Attributes} */ attributes,
      ) =>
        html`<input ...${attributes} value=${name} autocomplete="off" spellcheck=${false}
          onInput=${typed(setName)} />`}</${Field}>
    </div>
  </${Dialog}>`;
}
