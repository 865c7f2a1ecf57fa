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

/** @type {[string, string][]} */
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
  const path = `${whole ? "/admin/jobs" : ""}/definitions/${encodeURIComponent(key)}`;
  const asked = place.value.query.get("window") ?? "";
  const window = WINDOWS.some(([name]) => name === asked) ? asked : "24h";
  const definition = useResource(`definition ${key}`, (signal) => api.get(path, {}, signal));
  const chart = useResource(`chart of ${key} ${window}`, (signal) =>
    api.get("/charts/throughput", { window, definition: key }, signal),
  );
  const settings = useResource("settings of definitions", (signal) => api.get("/settings/definition", {}, signal));
  useWhenChanged(counted, () => [definition, chart].forEach((one) => one.reload()), 10_000);
  const found = definition.data;
  useEffect(() => {
    document.title = `${key} · Headrace`;
  }, [key]);
  if (!found) {
    if (definition.error)
      return html`<section class="panel"><${Failed} what="This definition" error=${definition.error}
        again=${definition.reload} small=${false} /></section>`;
    return definition.slow ? html`<section class="panel"><${Skeleton} rows=${10} /></section>` : null;
  }
  const show = (/** @type {any} */ changed) => definition.change((before) => ({ ...before, ...changed }));
  const range = html`<${Segmented} class="push" label="Time range" options=${WINDOWS} value=${window}
    choose=${(/** @type {string} */ value) => setQuery({ window: value === "24h" ? null : value })} />`;
  return html`
    <header class="stack stack-tight">
      <nav class="crumbs" aria-label="Where this is"><a href=${href("/definitions")}>Definitions</a><span
        aria-hidden="true">/</span><code>${found.key}</code></nav>
      <div class="page-head">
        <h1>${found.key}</h1><span class="tag">${found.kind}</span>
        ${found.tags.map((/** @type {string} */ tag) => html`<span class="tag" key=${tag}>${tag}</span>`)}
        <${Actions} definition=${found} show=${show} />
      </div>
      ${found.description && html`<p class="soft">${found.description}</p>`}
    </header>
    ${whole && html`<${Notices} definition=${found} />`}
    <div class="columns">
      <${Throughput} of=${chart} window=${window} range=${range} />
      <${Durations} of=${chart} />
    </div>
    <div class="columns">
      <div class="stack">
        <${Arguments} definition=${found} />
        ${whole && html`<${Registered} definition=${found} />`}
      </div>
      <div class="stack">${grouped(settings.data?.items ?? []).map(([title, group]) => html`<${Settings} key=${title} title=${title}
        settings=${group} definition=${found} show=${show} />`)}</div>
    </div>`;
}
