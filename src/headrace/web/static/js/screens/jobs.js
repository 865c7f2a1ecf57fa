// Every job there is: what an operator looks for, and mends many of at once.
import { api } from "../api.js";
import { serverNow } from "../clock.js";
import { Icon } from "../components/icon.js";
import { SearchField } from "../components/forms/search_field.js";
import { Failed, Skeleton } from "../components/states.js";
import { Tabs } from "../components/tabs.js";
import { useKeys } from "../keyboard.js";
import { capital, capped, statusWord } from "../lib/format.js";
import { STATUSES, parseQuery, problemOf, toFilter } from "../lib/query.js";
import { counted } from "../live.js";
import { useResource, useWhenChanged } from "../resource.js";
import { href, navigate, place, setQuery } from "../router.js";
import { may } from "../session.js";
import { html, useState } from "../ui.js";
import { BulkActions } from "./jobs/bulk.js";
import { ColumnsMenu, useColumns } from "./jobs/columns.js";
import { EnqueueDialog } from "./jobs/enqueue.js";
import { NoJobs } from "./jobs/none.js";
import { useLivePage } from "./jobs/page.js";
import { useSelection } from "./jobs/selection.js";
import { useSuggestions } from "./jobs/suggestions.js";
import { JobsTable } from "./jobs/table.js";
import { ViewsMenu } from "./jobs/views.js";

export function Jobs() {
  const { query } = place.value;
  const text = query.get("q") ?? "";
  const status = query.get("status") ?? "";
  const cursor = query.get("cursor") ?? "";
  const parsed = parseQuery(text);
  const valid = problemOf(parsed) === "";

  const filterNow = () => {
    const filter = toFilter(parsed, serverNow());
    const tab = STATUSES.find((name) => name === status);
    return tab && !filter.status ? { ...filter, status: [tab] } : filter;
  };
  const usual = useResource("usual", (signal) => api.get("/charts/usual", {}, signal));
  const counts = useResource("counts", (signal) => api.get("/jobs/counts", {}, signal));
  useWhenChanged(counted, counts.reload, 2000);

  const selection = useSelection();
  const [enqueueing, setEnqueueing] = useState(false);
  const page = useLivePage({
    key: `${status} ${text} ${cursor}`,
    filterNow,
    cursor,
    valid,
    busy: selection.ids.size > 0 || enqueueing,
  });
  const columns = useColumns();
  const suggest = useSuggestions();

  const change = (/** @type {string} */ q) => {
    selection.clear();
    navigate(href("/jobs", { q, status }), { replace: false });
  };
  useKeys([
    {
      keys: "/",
      says: "Search",
      does: () => /** @type {HTMLElement | null} */ (document.querySelector("[data-search]"))?.focus(),
    },
    ...(may("jobs.enqueue") ? [{ keys: "e", says: "Enqueue a job", does: () => setEnqueueing(true) }] : []),
    { keys: "]", says: "Older jobs", does: () => page.next && setQuery({ cursor: page.next }, { replace: false }) },
    { keys: "[", says: "Newest jobs", does: () => cursor && setQuery({ cursor: null }, { replace: false }) },
  ]);

  return html`
    <header class="page-head">
      <h1>Jobs</h1>
      <div class="actions">
        <${ViewsMenu} text=${text} status=${status} /><${ColumnsMenu} columns=${columns} />
        ${may("jobs.enqueue") && html`<button class="button button-primary" type="button"
          onClick=${() => setEnqueueing(true)}><${Icon} name="plus" />Enqueue job</button>`}
      </div>
    </header>
    <div class="stack stack-tight">
      <${Tabs} label="Status" tabs=${tabsOf(status, text, counts.data)} />
      <${SearchField} label="Search jobs" hint="An error's words, or status:failed definition:… after:2h" value=${text} change=${change} suggest=${suggest}
        also="Words without a qualifier are searched in errors." />
      <section class="panel" aria-label="Jobs">
        ${
          page.jobs
            ? page.jobs.length === 0 && page.newer === 0
              ? html`<${NoJobs} text=${text} status=${status} enqueue=${() => setEnqueueing(true)}
                filter=${filterNow()} />`
              : html`<${JobsTable} page=${page} usual=${usual.data?.items ?? []} columns=${columns.shown}
                selection=${selection} />`
            : page.error
              ? html`<${Failed} what="The jobs" error=${page.error} again=${page.reload} small=${false} />`
              : page.slow && html`<${Skeleton} rows=${12} />`
        }
        ${page.jobs && page.jobs.length > 0 && html`<${Foot} page=${page} cursor=${cursor}
          selecting=${selection.ids.size > 0} />`}
      </section>
    </div>
    <${BulkActions} selection=${selection} page=${page} filterNow=${filterNow} />
    ${enqueueing && html`<${EnqueueDialog} close=${() => setEnqueueing(false)}
      definition=${filterNow().definition} />`}`;
}

/** @param {string} status @param {string} q @param {Api.CountsAnswer | undefined} counts */
function tabsOf(status, q, counts) {
  const count = (/** @type {string} */ name) => {
    const known = counts?.items.find((one) => one.status === name);
    return known && capped(known.jobs, known.capped);
  };
  return [
    { name: "All", href: href("/jobs", { q }), current: status === "" },
    ...STATUSES.map((name) => ({
      name: capital(statusWord(name)),
      href: href("/jobs", { q, status: name }),
      current: status === name,
      count: count(name),
    })),
  ];
}

/** @param {{page: import("./jobs/page.js").LivePage, cursor: string, selecting: boolean}} props */
function Foot({ page, cursor, selecting }) {
  return html`<footer class="panel-foot">
    <span>${page.jobs?.length} jobs${cursor ? "" : ", newest first"}</span>
    ${page.searchedTo && html`<span>Searched back to ${new Date(page.searchedTo).toLocaleString()}; older jobs may match too.</span>`}
    ${selecting && html`<span>New jobs wait while you select</span>`}
    <span class="push actions">
      ${cursor && html`<a class="button button-small"
        href=${href("/jobs", { ...Object.fromEntries(place.value.query), cursor: null })}><${Icon} name="left"
        />Newest</a>`}
      ${page.next && html`<a class="button button-small"
        href=${href("/jobs", { ...Object.fromEntries(place.value.query), cursor: page.next })}>Older<${Icon}
        name="right" /></a>`}
    </span>
  </footer>`;
}
