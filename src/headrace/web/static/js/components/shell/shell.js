// What stands around every screen: where one is, where one can go, and whether what is shown is live.
import { useKeys } from "../../keyboard.js";
import { theme } from "../../preferences.js";
import { href, navigate, tenant } from "../../router.js";
import { SCREENS } from "../../screens/index.js";
import { may, session } from "../../session.js";
import { connection } from "../../live.js";
import { html, useState } from "../../ui.js";
import { Account } from "./account.js";
import { ConnectionBanner } from "./connection.js";
import { Dialog } from "../forms/dialog.js";
import { Icon } from "../icon.js";
import { Menu, MenuItem } from "../menu.js";
import { Segmented } from "../forms/segmented.js";
import { Shortcuts, shortcutsShown } from "./shortcuts.js";
import { Toast } from "./toast.js";

/** @typedef {import("../../screens/index.js").Entry} Entry */

const THEMES = [
  ["auto", "Auto"],
  ["light", "Light"],
  ["dark", "Dark"],
];
const chooseTheme = (/** @type {"auto" | "light" | "dark"} */ chosen) => (theme.value = chosen);

/** Entries that this reader may open, of those that have a place in the menu. */
const offered = () => SCREENS.filter((entry) => entry.icon && may(entry.needs));

/** @param {{current: string, children: Children}} props */
export function Shell({ current, children }) {
  const entries = offered();
  useKeys([
    { keys: "?", says: "This list", does: () => (shortcutsShown.value = true) },
    ...entries.map((entry) => ({
      keys: `g ${entry.key}`,
      says: `Go to ${entry.name}`,
      does: () => navigate(href(entry.path)),
    })),
  ]);
  const stale = connection.value.state === "offline" ? "is-stale" : "";
  return html`
    <a class="skip-link" href="#main" onClick=${skip}>Skip to content</a>
    <div class="app">
      <nav class="sidebar" aria-label="Main">
        <${Wordmark} />
        <${TenantSwitch} />
        <ul class="nav-list">
          ${entries.map((entry) => html`<li key=${entry.path} class=${entry.apart ? "nav-gap" : undefined}>
            <${NavLink} entry=${entry} current=${current} />
          </li>`)}
        </ul>
        <div class="sidebar-foot">
          <${LiveState} />
          <${Segmented} label="Theme" options=${THEMES} value=${theme.value} choose=${chooseTheme} />
          <${Account} />
        </div>
      </nav>
      <header class="phone-bar"><${Wordmark} /><span class="push"><${LiveState} /></span></header>
      <main class="main ${stale}" id="main" tabindex="-1"><${ConnectionBanner} />${children}</main>
      <${PhoneNav} entries=${entries} current=${current} />
    </div>
    <${Toast} /><${Shortcuts} />`;
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** @param {{large?: boolean}} props */
export function Wordmark({ large = false }) {
  const run = large ? "M-2000 4.5H13a9.5 9.5 0 0 1 9.5 9.5v2" : "M1.5 4.5H13a9.5 9.5 0 0 1 9.5 9.5v2";
  return html`<a class="wordmark ${large ? "wordmark-large" : ""}" href=${href("/")}>
    <svg viewBox="0 0 24 24" aria-hidden="true"><path class="race" d=${run} /><circle cx="13" cy="14" r="5" /></svg>
    Headrace
  </a>`;
}

/** @param {{entry: Entry, current: string}} props */
function NavLink({ entry, current }) {
  return html`<a href=${href(entry.path)} aria-current=${entry.path === current ? "page" : undefined}>
    <${Icon} name=${entry.icon} />${entry.name}
  </a>`;
}

function TenantSwitch() {
  const who = session.value;
  if (!who) return null;
  if (who.role !== "super_admin") return html`<span class="tenant-switch">${who.tenant}</span>`;
  const choose = (/** @type {string | null} */ name) => () => navigate(href("/", { tenant: name }));
  const chosen = tenant.value;
  return html`<${Menu} class="tenant-switch" left label=${`Tenant: ${chosen ?? "all tenants"}`}
    button=${html`${chosen ?? "All tenants"}<${Icon} name="down" />`}>
    <${MenuItem} checked=${chosen === null} does=${choose(null)}>All tenants</${MenuItem}>
    ${who.tenants.map((name) => html`<${MenuItem} key=${name} checked=${chosen === name} does=${choose(name)}>${name}
      </${MenuItem}>`)}
  </${Menu}>`;
}

function LiveState() {
  const { state } = connection.value;
  const word = { live: "Live", connecting: "Connecting", offline: "Offline" }[state];
  const kind = { live: "", connecting: "is-waiting", offline: "is-offline" }[state];
  return html`<span class="live-state ${kind}"><span class="live-dot" />${word}</span>`;
}

/** @param {{entries: Entry[], current: string}} props */
function PhoneNav({ entries, current }) {
  const [more, setMore] = useState(false);
  const tabs = entries.slice(0, 4);
  return html`<nav class="phone-nav" aria-label="Main, phone">
    ${tabs.map((entry) => html`<${NavLink} key=${entry.path} entry=${entry} current=${current} />`)}
    <button type="button" aria-haspopup="dialog" onClick=${() => setMore(true)}><${Icon} name="more" />More</button>
    ${
      more &&
      html`<${Dialog} title="Go to" close=${() => setMore(false)}>
      <div class="dialog-body">
        <${TenantSwitch} />
        <ul class="nav-list more-list" onClick=${() => setMore(false)}>${entries.slice(4).map((entry) => html`<li
          key=${entry.path}><${NavLink} entry=${entry} current=${current} /></li>`)}</ul>
        <${Account} />
      </div>
    </${Dialog}>`
    }
  </nav>`;
}
