import { zone } from "../../preferences.js";
import { session, signOut } from "../../session.js";
import { html } from "../../ui.js";
import { Icon } from "../icon.js";
import { Menu, MenuItem } from "../menu.js";
import { shortcutsShown } from "./shortcuts.js";
import { sayRefused } from "./toast.js";

/** Who is signed in, and what is theirs to set. */
export function Account() {
  const who = session.value;
  if (!who) return null;
  const out = () => signOut().catch((error) => sayRefused("Not signed out.", error));
  return html`<div class="who">
    <span title=${`${who.principal}, ${who.role}`}>${who.principal.replace(/^token /, "")} · ${who.role}</span>
    <span class="push"><${Menu} class="button button-plain button-icon button-small" label="Account"
      button=${html`<${Icon} name="more" />`}>
      <${MenuItem} checked=${zone.value === "UTC"}
        does=${() => (zone.value = zone.value === "UTC" ? "local" : "UTC")}>Times in UTC</${MenuItem}>
      <${MenuItem} does=${() => (shortcutsShown.value = true)}>Keys <kbd class="push">?</kbd></${MenuItem}>
      <${MenuItem} does=${out}><${Icon} name="leave" />Sign out</${MenuItem}>
    </${Menu}></span>
  </div>`;
}
