// One definition: what it takes, how it has been doing, how it is set up, and where it is registered.
import { api } from "../api.js";
import { Segmented } from "../components/forms/segmented.js";
import { Failed, Skeleton } from "../components/states.js";
import { counted } from "../live.js";
import { grouped } from "../lib/settings.js";
import { useResource, useWhenChanged } from "../resource.js";
import { href, place, setQuery } from "../router.js";
import { may } from "../session.js";
import { html, useEffect } from "../ui.js";
import { Actions } from "./definition/actions.js";
import { Durations } from "./definition/durations.js";
import { Notices } from "./definition/notices.js";
import { Registered } from "./definition/registered.js";
import { Arguments } from "./definition/arguments.js";
import { Settings } from "./definition/settings.js";
import { Throughput } from "./overview/charts.js";

/** @type {[Api.ChartAnswer["window"], string][]} */
const WINDOWS = [
  ["1h", "1 h"],
  ["24h", "24 h"],
  ["7d", "7 d"],
  ["30d", "30 d"],
];

/** @param {{params: Record<string, string>}} props */
export function DefinitionPage({ params }) {
  const { key } = params;
  const whole = may("definitions.inspect");
  const asked = place.value.query.get("window");
  const window = WINDOWS.find(([name]) => name === asked)?.[0] ?? "24h";
  const resource = useResource(`definition ${key}`, (signal) =>
    api.get(whole ? "/admin/jobs/definitions/{key}" : "/definitions/{key}", { key }, signal),
  );
  const chart = useResource(`chart of ${key} ${window}`, (signal) =>
    api.get("/charts/throughput", { window, definition: key }, signal),
  );
  const settings = useResource("settings of definitions", (signal) => api.get("/settings/definition", {}, signal));
  useWhenChanged(counted, () => [resource, chart].forEach((one) => one.reload()), 10_000);
  const definition = resource.data;
  useEffect(() => {
    document.title = `${key} · Headrace`;
  }, [key]);
  if (!definition) {
    if (resource.error)
      return html`<section class="panel"><${Failed} what="This definition" error=${resource.error}
        again=${resource.reload} small=${false} /></section>`;
    return resource.slow ? html`<section class="panel"><${Skeleton} rows=${10} /></section>` : null;
  }
  const show = (/** @type {Partial<Api.InspectedDefinition>} */ changed) => resource.change((before) => ({ ...before, ...changed }));
  const range = html`<${Segmented} class="push" label="Time range" options=${WINDOWS} value=${window}
    choose=${(/** @type {string} */ value) => setQuery({ window: value === "24h" ? null : value })} />`;
  return html`
    <header class="stack stack-tight">
      <nav class="crumbs" aria-label="Where this is"><a href=${href("/definitions")}>Definitions</a><span
        aria-hidden="true">/</span><code>${definition.key}</code></nav>
      <div class="page-head">
        <h1>${definition.key}</h1><span class="tag">${definition.kind}</span>
        ${definition.tags.map((tag) => html`<span class="tag" key=${tag}>${tag}</span>`)}
        <${Actions} definition=${definition} show=${show} />
      </div>
      ${definition.description && html`<p class="soft">${definition.description}</p>`}
    </header>
    ${whole && html`<${Notices} definition=${definition} />`}
    <div class="columns">
      <${Throughput} chart=${chart} window=${window} range=${range} />
      <${Durations} chart=${chart} />
    </div>
    <div class="columns">
      <div class="stack">
        <${Arguments} definition=${definition} />
        ${whole && html`<${Registered} definition=${definition} />`}
      </div>
      <div class="stack">${grouped(settings.data?.items ?? []).map(([title, group]) => html`<${Settings} key=${title} title=${title}
        settings=${group} definition=${definition} show=${show} />`)}</div>
    </div>`;
}
