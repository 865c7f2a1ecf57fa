import { now } from "../clock.js";
import { absolute, relative, span } from "../lib/format.js";
import { zone } from "../preferences.js";
import { html } from "../ui.js";

/** A time as seen from now, which counts by itself; the time of day in its title. @param {{at: string | null}} props */
export function RelativeTime({ at }) {
  if (at === null) return null;
  const then = Date.parse(at);
  return html`<time dateTime=${at} title=${absolute(then, zone.value)}>${relative(then, now.value)}</time>`;
}

/** How long it is since a time, counting. @param {{at: string}} props */
export function Age({ at }) {
  const then = Date.parse(at);
  return html`<time dateTime=${at} title=${absolute(then, zone.value)}>${span((now.value - then) / 1000)}</time>`;
}
