import { html, useEffect, useId, useRef } from "../../ui.js";
import { Icon } from "../icon.js";

/**
 * Asks for something before going on. The browser keeps the focus inside, and gives it back at the end.
 * @param {{title: string, close: () => void, foot?: Children, wide?: boolean, onSubmit?: () => void, children: Children}} props
 *   onSubmit: then it is a form
 */
export function Dialog({ title, close, foot, wide = false, onSubmit, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
    return () => dialog.current?.close();
  }, []);
  const inner = html`
    <header class="dialog-head">
      <h2 id=${id}>${title}</h2>
      <button class="button button-plain button-icon button-small push" type="button" aria-label="Close"
        onClick=${close}><${Icon} name="close" /></button>
    </header>
    ${children}
    ${foot && html`<footer class="dialog-foot">${foot}</footer>`}`;
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    onSubmit?.();
  };
  const cancel = (/** @type {Event} */ event) => {
    event.preventDefault();
    close();
  };
  return html`<dialog class="dialog ${wide ? "dialog-wide" : ""}" ref=${dialog} aria-labelledby=${id}
    onCancel=${cancel}>
    ${onSubmit ? html`<form noValidate onSubmit=${submit}>${inner}</form>` : inner}
  </dialog>`;
}
