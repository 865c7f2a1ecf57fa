import { html } from "../ui.js";

/** @typedef {{name: string, href: string, current: boolean, count?: string, title?: string}} Tab */

/** @param {{label: string, tabs: Tab[]}} props */
export function Tabs({ label, tabs }) {
  return html`<nav class="tabs" aria-label=${label}>
    ${tabs.map(
      (
        tab,
      ) => html`<a key=${tab.name} href=${tab.href} aria-current=${tab.current ? "page" : undefined} title=${tab.title}>
      ${tab.name}${tab.count !== undefined && html`<span class="count">${tab.count}</span>`}
    </a>`,
    )}
  </nav>`;
}
