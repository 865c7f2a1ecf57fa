import { now } from "../../clock.js";
import { clock, span } from "../../lib/format.js";
import { connection, follow } from "../../live.js";
import { zone } from "../../preferences.js";
import { html } from "../../ui.js";
import { Icon } from "../icon.js";

/** While nobody answers: since when, what is seen, and when it is tried again. */
export function ConnectionBanner() {
  const { state, since, retryAt } = connection.value;
  if (state !== "offline") return null;
  const again = Math.max(0, Math.round((retryAt - now.value) / 1000));
  const what = `The data is from ${clock(since, zone.value)}. The next attempt is in ${again} s.`;
  return html`<div class="banner" role="status">
    <${Icon} name="warning" />
    <span><span class="strong">Connection lost ${span((now.value - since) / 1000)} ago.</span> ${what}</span>
    <button class="button button-small push" type="button" onClick=${follow}>Try now</button>
  </div>`;
}
