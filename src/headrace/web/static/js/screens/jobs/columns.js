import { Icon } from "../../components/icon.js";
import { Menu, MenuItem } from "../../components/menu.js";
import { recall, remember } from "../../lib/storage.js";
import { html, useState } from "../../ui.js";

/** Columns that may be left out, with whether they are there at first. @type {Record<string, [string, boolean]>} */
export const COLUMNS = {
  tenant: ["Tenant", false],
  queue: ["Queue", false],
  source: ["Source", true],
  attempt: ["Attempt", true],
  changed: ["Last change", true],
  duration: ["Duration, against usual", true],
  worker: ["Worker", true],
  said: ["Error or progress", true],
};

export function useColumns() {
  const [hidden, setHidden] = useState(/** @type {Record<string, boolean>} */ (recall("jobs.columns", {})));
  const isShown = (/** @type {string} */ name) => hidden[name] ?? COLUMNS[name][1];
  return {
    shown: Object.keys(COLUMNS).filter(isShown),
    isShown,
    /** @param {string} name */
    toggle(name) {
      const next = { ...hidden, [name]: !isShown(name) };
      setHidden(next);
      remember("jobs.columns", next);
    },
  };
}

/** @param {{columns: ReturnType<typeof useColumns>}} props */
export function ColumnsMenu({ columns }) {
  return html`<span class="wide-only"><${Menu} button=${html`<${Icon} name="columns" />Columns`}>
    ${Object.entries(COLUMNS).map(([name, [title]]) => html`<${MenuItem} key=${name} checked=${columns.isShown(name)}
      does=${() => columns.toggle(name)}><${Tick} on=${columns.isShown(name)} />${title}</${MenuItem}>`)}
  </${Menu}></span>`;
}

/** @param {{on: boolean}} props */
export const Tick = ({ on }) => html`<${Icon} name=${on ? "check" : ""} />`;
