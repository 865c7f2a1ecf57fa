import { api } from "../../api.js";
import { FormDialog } from "../../components/forms/form_dialog.js";
import { say } from "../../components/shell/toast.js";
import { html } from "../../ui.js";

/** @param {{what: "rule" | "target", of: any, says: string, close: () => void, done: () => void}} props */
export function DeleteDialog({ what, of, says, close, done }) {
  const send = async () => {
    await api.delete(`/alerts/${what}s/${of.id}`);
    say(`Deleted ${of.name}.`);
    done();
  };
  return html`<${FormDialog} title=${`Delete ${what} ${of.name}?`} does=${`Delete ${what}`} danger close=${close} send=${send}>
    ${() => html`<p>${says}</p>`}</${FormDialog}>`;
}
