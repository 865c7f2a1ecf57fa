import { FormDialog } from "../../components/forms/form_dialog.js";
import { say } from "../../components/shell/toast.js";
import { html } from "../../ui.js";

/** @param {{what: "rule" | "target", name: string, says: string, remove: () => Promise<unknown>, close: () => void, done: () => void}} props */
export function DeleteDialog({ what, name, says, remove, close, done }) {
  const send = async () => {
    await remove();
    say(`Deleted ${name}.`);
    done();
  };
  return html`<${FormDialog} title=${`Delete ${what} ${name}?`} does=${`Delete ${what}`} danger close=${close} send=${send}>
    ${() => html`<p>${says}</p>`}</${FormDialog}>`;
}
