import { sentence } from "../../lib/format.js";
import { followAgreed, linkProblem, otherSession, session } from "../../session.js";
import { html, useSignalEffect } from "../../ui.js";
import { FormDialog } from "../forms/form_dialog.js";
import { sayRefused } from "./toast.js";

/** A link would sign in someone else: nothing changes until the reader agrees, for strangers can make links too. */
export function OtherSession() {
  useSignalEffect(() => {
    if (session.value && linkProblem.value) {
      sayRefused("The link was not used.", linkProblem.value);
      linkProblem.value = null;
    }
  });
  const link = otherSession.value;
  if (!link) return null;
  const send = () =>
    followAgreed().catch((error) => {
      throw new Error(error.message); // the form has no field to show it at
    });
  return html`<${FormDialog} title="Sign in as someone else?" does="Sign in" send=${send}
    close=${() => (otherSession.value = null)}>${() => html`
    <p>${sentence(link.says)}</p>
    <p class="soft">Nothing has changed yet. Go on only if you asked for this link: with a stranger's link you would work in
      the stranger's name.</p>`}
  </${FormDialog}>`;
}
