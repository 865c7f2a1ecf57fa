// A target made or changed; the key of a webhook's signature is shown once.
import { api } from "../../api.js";
import { Copy } from "../../components/copy.js";
import { Dialog } from "../../components/forms/dialog.js";
import { Field, Select, TextField } from "../../components/forms/field.js";
import { FormDialog } from "../../components/forms/form_dialog.js";
import { Segmented } from "../../components/forms/segmented.js";
import { html, ticked, useState } from "../../ui.js";

/** @type {[string, string][]} */
const KINDS = [
  ["webhook", "Webhook"],
  ["email", "E-mail"],
  ["command", "Command"],
];
const ADDRESSES = /** @type {Record<Api.TargetAnswer["kind"], [string, string]>} */ ({
  webhook: ["Address", "For example https://example.com/hooks/headrace. A notice is a POST of JSON."],
  email: ["Addresses", "Separated by commas. The server of [smtp] in the workers' configuration sends the mail."],
  command: ["Command", "The key of one of the workers' own commands, which gets the notice as its payload."],
});
/** @type {[string, string][]} */
const SIGNING = [
  ["keep", "Keep the key"],
  ["new", "Make a new key"],
  ["off", "Do not sign"],
];

/** @param {{target?: Api.TargetAnswer, close: () => void, saved: (target: Api.NewTargetAnswer) => void}} props */
export function TargetDialog({ target, close, saved }) {
  const [kind, setKind] = useState(/** @type {Api.TargetAnswer["kind"]} */ (target?.kind ?? "webhook"));
  const [name, setName] = useState(target?.name ?? "");
  // Of a webhook the end of the address is secret, so what is shown is not what there is.
  const hidden = target?.kind === "webhook";
  const [address, setAddress] = useState(target && !hidden ? target.address : "");
  const [sign, setSign] = useState(true);
  const [signing, setSigning] = useState(/** @type {NonNullable<Api.TargetChanges["signing"]>} */ ("keep"));
  const send = async () => {
    const changed = { name, ...(address.trim() && { address: address.trim() }), ...(hidden && { signing }) };
    saved(
      target
        ? await api.patch("/alerts/targets/{alert_target_id}", { alert_target_id: target.id }, changed)
        : await api.post("/alerts/targets", {}, { name, kind, address: address.trim(), sign }),
    );
  };
  const [label, hint] = ADDRESSES[kind];
  const ready = name.trim() !== "" && (hidden || address.trim() !== "");
  const title = target ? `Edit target ${target.name}` : "New target";
  return html`<${FormDialog} title=${title} does=${target ? "Save" : "Make target"} close=${close} send=${send} ready=${ready}>
    ${(/** @type {Record<string, string>} */ problems) => html`
      ${!target && html`<div class="field"><span class="label">Sent by</span><${Segmented} class="segmented-wide" label="Sent by"
        options=${KINDS} value=${kind} choose=${setKind} /></div>`}
      <${TextField} label="Name" hint="The people or system that get the notices." value=${name} set=${setName} problem=${problems.name} />
      <${TextField} label=${label} hint=${hidden ? `Now ${target.address}; the address stays unless you write another one.` : hint}
        value=${address} set=${setAddress} problem=${problems.address} />
      ${
        !target &&
        kind === "webhook" &&
        html`<label class="field field-check"><input type="checkbox" checked=${sign}
        onChange=${ticked(setSign)} /><span>Sign its notices</span>
        <span class="field-note ${problems.sign ? "is-bad" : ""}">${problems.sign ?? "With a new key, shown once. Most chats need no signature."}</span></label>`
      }
      ${
        hidden &&
        html`<${Field} label="Signature" hint=${target.signed ? "It is signed." : "It is not signed."}
        problem=${problems.signing ?? problems.sign}>${(/** @type {Attributes} */ attributes) =>
          html`<${Select} attributes=${attributes} value=${signing} options=${SIGNING} choose=${setSigning} />`}</${Field}>`
      }`}
  </${FormDialog}>`;
}

/** @param {{made: Api.NewTargetAnswer, close: () => void}} props */
export function KeyDialog({ made, close }) {
  return html`<${Dialog} title=${`Key of ${made.name}`} close=${close} foot=${html`<button class="button button-primary"
      type="button" onClick=${close}>I have stored it</button>`}>
    <div class="dialog-body"><p>Copy the key now: the receiver needs it to check that a notice is genuine. It is shown only once.</p>
      <p class="secret"><code class="code-block">${made.key}</code><${Copy} class="button" label="Copy the key"
        text=${() => made.key}>Copy</${Copy}></p></div>
  </${Dialog}>`;
}
