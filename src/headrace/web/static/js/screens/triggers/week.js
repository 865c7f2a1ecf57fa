import { writeDuration } from "../../lib/durations.js";
import { hourMinute, plural } from "../../lib/format.js";
import { dayIn, ownZone } from "../../lib/in_zone.js";
import { zone } from "../../preferences.js";
import { href } from "../../router.js";
import { html } from "../../ui.js";

const DAY = 86_400_000;
const DAYS = 7;
// Beyond this a day says how often, and not when.
const FEW = 3;

/** A line of a day; `at` is 0 where it says how often. @typedef {{id: string, name: string, at: number, when: string}} Entry */

/** Seven days side by side. @param {{items: Api.DueAnswer[], from: number}} props */
export function WeekGrid({ items, from }) {
  const tz = zone.value === "UTC" ? "UTC" : ownZone();
  const days = Array.from({ length: DAYS }, (_, i) => dayIn(from + i * DAY, tz));
  const byDay = new Map(days.map((day) => [day, /** @type {Entry[]} */ ([])]));
  for (const due of items) {
    /** @type {Map<string, number[]>} */
    const mine = new Map();
    for (const text of due.times) {
      const day = dayIn(Date.parse(text), tz);
      mine.set(day, [...(mine.get(day) ?? []), Date.parse(text)]);
    }
    for (const [day, times] of mine) byDay.get(day)?.push(...entries(due, times));
  }
  return html`<ol class="week">${days.map((day, i) => html`<li key=${day}>
    <h3>${i === 0 ? "Today" : day}</h3>
    <${Day} entries=${byDay.get(day) ?? []} />
  </li>`)}</ol>`;
}

/** @param {Api.DueAnswer} due @param {number[]} times @returns {Entry[]} */
function entries(due, times) {
  const name = { id: due.trigger_id, name: due.name };
  if (due.every_seconds) return [{ ...name, at: 0, when: `every ${writeDuration(due.every_seconds)}` }];
  if (times.length > FEW) return [{ ...name, at: 0, when: `${times.length}\u00d7` }];
  return times.map((at) => ({ ...name, at, when: hourMinute(at, zone.value) }));
}

/** @param {{entries: Entry[]}} props */
function Day({ entries: all }) {
  if (all.length === 0) return html`<p class="quiet">${"\u2013"}<span class="visually-hidden">nothing</span></p>`;
  const sorted = all.sort((a, b) => a.at - b.at);
  return html`<ul aria-label=${plural(all.length, "entry", "entries")}>${sorted.map((entry) => html`<li
    key=${entry.id + entry.at} class=${entry.at === 0 ? "often" : undefined}><span>${entry.when}</span>
    <a href=${href(`/triggers/${entry.id}`)} title=${entry.name}>${entry.name}</a></li>`)}</ul>`;
}
