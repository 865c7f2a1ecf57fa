import { api } from "../../api.js";
import { Icon } from "../../components/icon.js";
import { Panel } from "../../components/panel.js";
import { loaded } from "../../components/states.js";
import { RelativeTime } from "../../components/time.js";
import { say, sayRefused } from "../../components/shell/toast.js";
import { bytes, count, dayMonth, plural } from "../../lib/format.js";
import { zone } from "../../preferences.js";
import { useResource } from "../../resource.js";
import { href } from "../../router.js";
import { may } from "../../session.js";
import { html, useState } from "../../ui.js";

const KEPT = /** @type {[keyof Api.DaysAnswer, string][]} */ ([
  ["jobs_days", "Ended jobs"],
  ["dead_letters_days", "Dead letters"],
  ["logs_days", "Log lines"],
  ["fires_days", "Fires"],
  ["events_days", "Events"],
  ["rollups_days", "Figures"],
  ["tokens_days", "Revoked tokens"],
  ["audit_days", "Audit"],
]);

/** How long history is kept, how much there is, and what would go now. */
export function Retention() {
  const state = useResource("retention", (signal) => api.get("/admin/retention", {}, signal));
  const [tried, setTried] = useState(/** @type {Api.RetentionPreview | null} */ (null));
  const [busy, setBusy] = useState(false);
  const attempt = async (/** @type {() => Promise<void>} */ does, /** @type {string} */ refused) => {
    setBusy(true);
    await does().catch((error) => sayRefused(refused, error));
    setBusy(false);
  };
  const preview = () => attempt(async () => setTried(await api.get("/admin/retention/preview")), "Not counted.");
  const run = () =>
    attempt(async () => {
      const { job_id } = await api.post("/admin/retention/run");
      say("A worker prunes now.", { href: href(`/jobs/${job_id}`), go: "Open" });
      setTried(null);
    }, "Not begun.");
  const head = html`<span class="push actions">
    <button class="button" type="button" disabled=${busy} aria-busy=${busy} onClick=${preview}>Dry run</button>
    ${may("retention.run") && html`<button class="button" type="button" disabled=${busy} onClick=${run}><${Icon} name="trash" />Prune now</button>`}</span>`;
  return html`<${Panel} title="Retention" note="by this server's configuration" head=${head}>
    ${loaded(state, { what: "The retention" }, (data) => html`
      ${
        tried &&
        html`<p class="why" role="status"><${Icon} name=${tried.jobs ? "trash" : "check"} /><span>${
          tried.jobs === 0
            ? "Nothing would be removed now."
            : `${plural(tried.jobs, "job")} would be removed now, about ${bytes(tried.bytes)}: ${tried.definitions
                .map((one) => `${count(one.jobs)} of ${one.definition}`)
                .join(", ")}.`
        }</span></p>`
      }
      <dl class="facts facts-wide ruled">${KEPT.map(([name, label]) => html`<dt>${label}</dt><dd>${plural(data.settings[name], "day")}</dd>`)}
        ${data.definitions.map(
          (one) => html`<dt>Jobs of ${one.definition}</dt><dd>
          ${one.days === null ? "" : plural(one.days, "day")}${one.count ? `, the last ${count(one.count)} for longer` : ""}</dd>`,
        )}
        <dt>Last pruned</dt><dd>${
          data.last_run
            ? html`<a class="link" href=${href(`/jobs/${data.last_run.job_id}`)}><${RelativeTime}
          at=${data.last_run.finished_at} /></a>, ${data.last_run.status}`
            : "never"
        }</dd></dl>
      <div class="table-scroll ruled"><table class="cards">
        <thead><tr><th scope="col">Week</th><th scope="col" class="num">Jobs, about</th><th scope="col" class="num">Size</th><th scope="col" /></tr></thead>
        <tbody>${data.weeks.map(
          (week) => html`<tr key=${week.lower_bound}>
          <td class="card-title">${dayMonth(Date.parse(week.lower_bound), zone.value)} to ${dayMonth(Date.parse(week.upper_bound), zone.value)}</td>
          <td class="num" data-label="Jobs">${count(week.jobs)}</td><td class="num" data-label="Size">${bytes(week.bytes)}</td>
          <td class="num card-actions">${week.leaving && html`<span class="tag">leaving</span>`}</td></tr>`,
        )}</tbody>
      </table></div>`)}
  </${Panel}>`;
}
