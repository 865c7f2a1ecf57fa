import { html, useState } from "../ui.js";
import { Icon } from "./icon.js";
import { sayRefused } from "./shell/toast.js";

/** @param {string} text @returns {Promise<boolean>} */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    sayRefused("Not copied.", error);
    return false;
  }
}

/**
 * A button that copies; says so itself.
 * @param {{text: () => string, label: string, children?: Children, class?: string}} props
 */
export function Copy({ text, label, children, class: extra = "button button-plain button-icon button-small" }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    if (!(await copyText(text()))) return;
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return html`<button class=${extra} type="button" aria-label=${done && !children ? "Copied" : label} onClick=${copy}>
    <${Icon} name=${done ? "check" : "copy"} />${children}
  </button>`;
}
