// What will run: a line of marks for each schedule over a day, or a week by days.
import { api } from "../../api.js";
import { Panel } from "../../components/panel.js";
import { Segmented } from "../../components/forms/segmented.js";
import { loaded } from "../../components/states.js";
import { serverNow } from "../../clock.js";
import { plural } from "../../lib/format.js";
import { useEvery, useResource } from "../../resource.js";
import { place, setQuery } from "../../router.js";
import { html, useState } from "../../ui.js";
import { DayStrip } from "./day.js";
import { WeekGrid } from "./week.js";

const HOUR = 3_600_000;
const SPANS = { day: 24 * HOUR, week: 7 * 24 * HOUR };
const EVERY = 60_000;

export function Calendar() {
  const span = place.value.query.get("span") === "week" ? "week" : "day";
  const [from, setFrom] = useState(serverNow);
  const until = from + SPANS[span];
  const due = useResource(`calendar ${span}`, (signal) => {
    const times = { since: new Date(serverNow()).toISOString(), until: new Date(serverNow() + SPANS[span]).toISOString() };
    return api.get("/jobs/triggers/calendar", times, signal);
  });
  useEvery(() => {
    setFrom(serverNow());
    due.reload();
  }, EVERY);
  const items = (due.data?.items ?? []).filter((one) => one.times.length > 0);
  const jobs = items.reduce((n, one) => n + one.times.length, 0);
  const more = due.data?.more || items.some((one) => one.every_seconds !== null);
  const note = due.data && `${plural(jobs, "job")}${more ? " and more" : ""} from ${plural(items.length, "schedule")}`;
  const choose = (/** @type {string} */ value) => setQuery({ span: value === "week" ? value : null });
  return html`<${Panel} title=${span === "day" ? "Next 24 hours" : "Next 7 days"} note=${note} head=${html`<${Segmented}
    class="push" label="Span" options=${[
      ["day", "Day"],
      ["week", "Week"],
    ]} value=${span} choose=${choose} />`}>
    ${loaded(due, { what: "What will run", rows: 4 }, () =>
      items.length === 0
        ? html`<div class="state state-small"><p>No schedule is due in this time.</p></div>`
        : span === "day"
          ? html`<${DayStrip} items=${items} from=${from} until=${until} />`
          : html`<${WeekGrid} items=${items} from=${from} />`)}
  </${Panel}>`;
}
