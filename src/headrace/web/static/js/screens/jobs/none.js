import { api } from "../../api.js";
import { Empty } from "../../components/states.js";
import { Icon } from "../../components/icon.js";
import { plural, statusWord } from "../../lib/format.js";
import { parseQuery, writeQuery } from "../../lib/query.js";
import { useResource } from "../../resource.js";
import { href } from "../../router.js";
import { may } from "../../session.js";
import { html } from "../../ui.js";

/**
 * Why there is nothing to see, and what else to try.
 * @param {{text: string, status: string, enqueue: () => void, filter: Api.BulkFilter}} props
 */
export function NoJobs({ text, status, enqueue, filter }) {
  const query = parseQuery(text);
  const dated = query.terms.some((term) => term.name === "after" || term.name === "before");
  const wider = useResource(`wider ${dated} ${text}`, (signal) => {
    if (!dated) return Promise.resolve(null);
    const { created_after: _, created_before: __, ...rest } = filter;
    return api.get("/jobs", { ...rest, limit: 100 }, signal);
  });
  if (!text && !status) {
    return html`<${Empty} title="No jobs yet"><p>Jobs appear here as soon as they are enqueued.</p>
      ${may("jobs.enqueue") && html`<button class="button" type="button" onClick=${enqueue}><${Icon} name="plus"
        />Enqueue job</button>`}</${Empty}>`;
  }
  if (!text)
    return html`<${Empty} title=${`No job is ${statusWord(status)}`} icon=${status}><a class="button"
      href=${href("/jobs")}>All jobs</a></${Empty}>`;
  const matches = wider.data?.items.length;
  const without = writeQuery({
    ...query,
    terms: query.terms.filter((term) => term.name !== "after" && term.name !== "before"),
  });
  return html`<${Empty} title="No job matches" icon="search">
    <p>${matches ? `The same search over all times finds ${matches === 100 ? "100 or more" : plural(matches, "job")}.` : "No job matches all of these filters."}
      </p>
    ${matches ? html`<a class="button" href=${href("/jobs", { q: without, status })}>Search all times</a>` : html`<a
      class="button" href=${href("/jobs")}>All jobs</a>`}
  </${Empty}>`;
}
