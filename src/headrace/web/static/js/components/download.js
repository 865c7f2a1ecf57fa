import { request } from "../api.js";
import { html, useState } from "../ui.js";
import { Icon } from "./icon.js";
import { sayRefused } from "./shell/toast.js";

/**
 * A file of the API's, kept by the browser. A plain link could not say for which tenant it is asked.
 * @param {{path: keyof Api.Get, values: import("../api.js").Values, name: string, label: string, class?: string}} props
 */
export function Download({ path, values, name, label, class: extra = "" }) {
  const [busy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      keep(await (await request("GET", path, { values })).blob(), name);
    } catch (error) {
      sayRefused("Not downloaded.", error);
    }
    setBusy(false);
  };
  return html`<button class="button button-small button-icon ${extra}" type="button" aria-label=${label} aria-busy=${busy}
    disabled=${busy} onClick=${download}><${Icon} name="download" /></button>`;
}

/** @param {Blob} file @param {string} name */
function keep(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
