// Jobs that ran out of attempts: look, mend what they were given, and have them run again, one or all.
import { api } from "../api.js";
import { useBulk } from "../components/bulk_operation.js";
import { Icon } from "../components/icon.js";
import { useRowKeys } from "../components/rows.js";
import { Empty, loaded } from "../components/states.js";
import { Tabs } from "../components/tabs.js";
import { capped } from "../lib/format.js";
import { counted } from "../live.js";
import { useResource, useWhenChanged } from "../resource.js";
import { href, place } from "../router.js";
import { may } from "../session.js";
import { html } from "../ui.js";
import { Letter } from "./dead_letter/letter.js";

const PAGE = 50;

export function DeadLetter() {
  const { query } = place.value;
  const definition = query.get("definition") ?? "";
  const cursor = query.get("cursor") ?? "";
  const open = query.get("open") ?? "";
  /** @type {Api.BulkFilter} */
  const filter = { status: ["dead_letter"], ...(definition && { definition }) };
  const letters = useResource(`dead ${definition} ${cursor}`, (signal) =>
    api.get("/jobs", { ...filter, limit: PAGE, cursor }, signal),
  );
  const counts = useResource("count of dead", (signal) => api.get("/jobs/counts", {}, signal));
  const readAll = () => [letters, counts].forEach((one) => one.reload());
  useWhenChanged(counted, readAll, 3000);
  useRowKeys("job");
  const bulk = useBulk(readAll);

  const dead = counts.data?.items.find((one) => one.status === "dead_letter");
  const items = letters.data?.items ?? [];
  const keys = [
    ...new Set([...items.map((job) => job.definition), ...(definition ? [definition] : [])]),
  ].sort();
  const tab = (/** @type {string} */ key) => ({
    name: key || "All",
    href: href("/dead-letter", { definition: key }),
    current: key === definition,
  });
  return html`
    <header class="page-head">
      <h1>Dead letter</h1>
      ${dead && html`<span class="quiet">${capped(dead.jobs, dead.capped)} in all</span>`}
      <div class="actions">
        ${
          may("jobs.bulk") &&
          items.length > 0 &&
          html`<button class="button button-danger" type="button"
            onClick=${() => bulk.prepare("delete", filter)}><${Icon} name="trash" />Delete all</button>
          <button class="button button-primary" type="button" onClick=${() => bulk.prepare("retry", filter)}><${Icon}
            name="retry" />Redrive all${definition ? " of these" : ""}</button>`
        }
      </div>
    </header>
    <div class="stack stack-tight">
      ${(keys.length > 1 || definition) && html`<${Tabs} label="Definition" tabs=${["", ...keys].map(tab)} />`}
      <section class="panel" aria-label="Dead letters">
        ${loaded(letters, { what: "The dead letters", rows: 8 }, (data) =>
          data.items.length === 0
            ? html`<${Empty} title="No dead letter" icon="deadletter"><p>A job whose attempts are all used up is listed here
                until somebody retries or deletes it.</p></${Empty}>`
            : html`<ul class="letters">${data.items.map(
                (job) => html`<${Letter} key=${job.id} job=${job}
                open=${open === job.id} changed=${readAll} />`,
              )}</ul>
              ${
                (cursor || data.next_cursor) &&
                html`<footer class="panel-foot"><span class="push actions">
                ${cursor && html`<a class="button button-small" href=${href("/dead-letter", { definition })}><${Icon} name="left" />Newest</a>`}
                ${
                  data.next_cursor &&
                  html`<a class="button button-small"
                  href=${href("/dead-letter", { definition, cursor: data.next_cursor })}>Older<${Icon} name="right" /></a>`
                }
              </span></footer>`
              }`)}
      </section>
    </div>
    ${bulk.view}`;
}
