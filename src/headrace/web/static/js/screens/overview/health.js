import { Icon } from "../../components/icon.js";
import { Failed } from "../../components/states.js";
import { href } from "../../router.js";
import { html } from "../../ui.js";

/** Where the mending is. @param {Api.FindingAnswer} finding @returns {[string, string] | null} */
function wayTo({ kind, name }) {
  if (kind === "definition")
    return [href("/jobs", { q: `definition:${name} status:failed status:dead_letter` }), "See the jobs"];
  if (kind === "unknown") return [href("/jobs", { q: `definition:${name} status:queued` }), "See what waits"];
  if (kind === "queue") return [href("/jobs", { q: `queue:${name} status:queued` }), "See what waits"];
  if (kind === "worker") return [href("/jobs", { q: `worker:${name} status:running` }), "See its jobs"];
  if (kind === "trigger") return [href("/triggers"), "See the triggers"];
  return null;
}

const ICONS = /** @type {Record<string, string>} */ ({ bad: "failed", warn: "warning", ok: "succeeded" });

/** @param {{health: Resource<Api.HealthAnswer>}} props */
export function Health({ health }) {
  const answer = health.data;
  if (!answer) {
    if (health.error)
      return html`<section class="panel"><${Failed} what="How things are" error=${health.error} again=${health.reload} />
        </section>`;
    return html`<section class="health" aria-busy="true"><h1><span class="visually-hidden">Overview</span>
      ${health.slow ? html`<span class="skeleton skeleton-figure" />` : "\u00a0"}</h1><p class="health-lead">${"\u00a0"}
      </p></section>`;
  }
  const worst = answer.well ? "ok" : answer.findings[0].level;
  const worstWay = answer.well ? null : wayTo(answer.findings[0]);
  return html`<section class="health" aria-labelledby="health" aria-live="polite">
    <h1 id="health"><${Icon} name=${ICONS[worst]} class="is-${worst}" />${answer.title}</h1>
    <p class="health-lead">${answer.lead} ${worstWay && html`<a class="link" href=${worstWay[0]}>${worstWay[1]}</a>`}</p>
    ${
      !answer.well &&
      html`<ul class="health-list">
      ${answer.findings.slice(1).map((finding) => html`<${Line} key=${finding.title}
        finding=${finding} />`)}
      <li><${Icon} name="succeeded" class="is-ok" /><span class="strong">All else is well</span><span class="quiet">
        ${answer.rest}</span></li>
    </ul>`
    }
  </section>`;
}

/** @param {{finding: Api.FindingAnswer}} props */
function Line({ finding }) {
  const way = wayTo(finding);
  const title = html`<span class="strong">${finding.title}</span>`;
  return html`<li><${Icon} name=${ICONS[finding.level]} class="is-${finding.level}" />
    ${way ? html`<a href=${way[0]}>${title}</a>` : title}
    <span class="soft">${finding.detail}</span>
    ${way && html`<a class="link" href=${way[0]}>${way[1]}</a>`}
  </li>`;
}
