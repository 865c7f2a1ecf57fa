import { html, useId } from "../ui.js";

/**
 * A box with a title. Never put one in another.
 * @param {{title: string, note?: Children, head?: Children, class?: string, children?: Children}} props head: what stands right in the title
 */
export function Panel({ title, note, head, class: extra = "", children }) {
  const id = useId();
  return html`<section class="panel ${extra}" aria-labelledby=${id}>
    <header class="panel-head"><h2 id=${id}>${title}</h2>${note && html`<span class="quiet">${note}</span>`}${head}
      </header>
    ${children}
  </section>`;
}
