import { Icon } from "../../components/icon.js";
import { Menu, MenuItem } from "../../components/menu.js";
import { recall, remember } from "../../lib/storage.js";
import { href } from "../../router.js";
import { html, useState } from "../../ui.js";
import { Tick } from "./columns.js";

/** @typedef {{q: string, status: string}} View */

/**
 * Searches to come back to, kept in this browser; an address shows the same to others.
 * @param {{text: string, status: string}} props
 */
export function ViewsMenu({ text, status }) {
  const [views, setViews] = useState(/** @type {View[]} */ (recall("jobs.views", [])));
  const keep = (/** @type {View[]} */ next) => {
    setViews(next);
    remember("jobs.views", next);
  };
  const same = (/** @type {View} */ view) => view.q === text && view.status === status;
  const kept = views.some(same);
  const name = (/** @type {View} */ view) =>
    [view.status && `status:${view.status}`, view.q].filter(Boolean).join(" ") || "all jobs";
  return html`<${Menu} button=${html`<${Icon} name="bookmark" />Saved views`}>
    ${views.map((view) => html`<${MenuItem} key=${name(view)} href=${href("/jobs", view)}><${Tick} on=${same(view)} />
      <code>${name(view)}</code></${MenuItem}>`)}
    ${views.length === 0 && html`<p class="menu-title">None yet.</p>`}
    ${
      kept
        ? html`<${MenuItem} does=${() => keep(views.filter((view) => !same(view)))}><${Icon} name="trash"
          />Forget this view</${MenuItem}>`
        : html`<${MenuItem} does=${() => keep([...views, { q: text, status }])}><${Icon} name="plus"
          />Save this view</${MenuItem}>`
    }
  </${Menu}>`;
}
