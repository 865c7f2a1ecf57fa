import { writeDuration } from "../../lib/durations.js";
import { hourMinute, plural } from "../../lib/format.js";
import { zone } from "../../preferences.js";
import { href } from "../../router.js";
import { html } from "../../ui.js";

const HOUR = 3_600_000;
const DENSE = 48;
const EVERY = 6;

/** A line for each schedule, a mark for each run. @param {{items: Api.DueAnswer[], from: number, until: number}} props */
export function DayStrip({ items, from, until }) {
  const at = (/** @type {number} */ time) => (24 * (time - from)) / (until - from);
  return html`<ul class="day-strip">
    ${items.map((one) => html`<li key=${one.trigger_id}>
      <a href=${href(`/triggers/${one.trigger_id}`)}>${one.name}</a>
      <svg class=${one.times.length > DENSE ? "is-dense" : undefined} viewBox="0 0 24 22" preserveAspectRatio="none"
        role="img" aria-label=${`${one.name}: ${one.every_seconds ? `every ${writeDuration(one.every_seconds)}` : plural(one.times.length, "run")}`}>
        <line class="base" x1="0" x2="24" y1="11" y2="11" />
        <path class="tick" d=${marks(one.times, at)} />
      </svg>
    </li>`)}
    <li class="day-axis" aria-hidden="true"><span>${hourMinute(from, zone.value)}</span>
      ${labels(from, until).map((time) => html`<span key=${time} style=${{ left: `${(100 * (time - from)) / (until - from)}%` }}>
        ${hourMinute(time, zone.value)}</span>`)}</li>
  </ul>`;
}

/** @param {string[]} times @param {(time: number) => number} at */
const marks = (times, at) =>
  times.map((time) => at(Date.parse(time))).filter((x) => x >= 0 && x <= 24).map((x) => `M${x.toFixed(3)} 5V17`).join("");

/** Every sixth hour of the clock, but none beside the beginning or the end. @param {number} from @param {number} until */
function labels(from, until) {
  const found = [];
  for (let time = Math.ceil(from / HOUR) * HOUR; time < until - HOUR; time += HOUR) {
    const hour = Number(hourMinute(time, zone.value).slice(0, 2));
    if (hour % EVERY === 0 && time - from > 1.5 * HOUR) found.push(time);
  }
  return found;
}
