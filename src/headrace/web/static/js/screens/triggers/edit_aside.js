// What would come of the form, beside it.
import { JsonTree } from "../../components/json_tree.js";
import { NextTimes } from "../../components/forms/next_times.js";
import { html } from "../../ui.js";
import { Json } from "./edit_fields.js";

/**
 * @template T
 * @typedef {import("../../debounced.js").Debounced<T>} Debounced
 */

/** @param {import("./edit_fields.js").Fields & {preview: Debounced<Api.PreviewAnswer>, rendered: Debounced<Api.RenderedAnswer>}} props */
export function Aside({ form, set, problems, preview, rendered }) {
  if (form.kind === "event")
    return html`<aside class="editor-aside" aria-labelledby="aside">
      <h3 id="aside">Test render</h3>
      <${Json} form=${form} set=${set} problems=${problems} name="sample" label="Sample event" rows=${5} />
      <div aria-live="polite">${rendered.answer ? html`<${Rendered} rendered=${rendered.answer} />` : rendered.error && html`<p
        class="field-note is-bad">${rendered.error.message}</p>`}</div>
    </aside>`;
  if (form.kind === "init")
    return html`<aside class="editor-aside" aria-labelledby="aside"><h3 id="aside">When</h3>
      <p class="soft">As soon as the trigger is saved, and once again for each new version.</p></aside>`;
  const { answer, error } = preview;
  return html`<aside class="editor-aside ${error ? "is-stale" : ""}" aria-labelledby="aside">
    <h3 id="aside">Next ten, ${form.timezone}</h3>
    <div aria-live="polite">${
      error
        ? html`<p class="soft">Correct the schedule to see when it fires.</p>`
        : answer && html`<${NextTimes} times=${answer.times} tz=${form.timezone} />`
    }</div>
  </aside>`;
}

/** @param {{rendered: Api.RenderedAnswer}} props */
function Rendered({ rendered }) {
  const skips = rendered.condition_holds === false;
  return html`
    ${rendered.condition_holds !== null && html`<p class=${skips ? "is-warn" : "is-ok"}>
      ${skips ? "The condition does not hold: nothing is enqueued." : "The condition holds."}</p>`}
    ${rendered.error ? html`<p class="field-note is-bad">${rendered.error}</p>` : html`<p class="soft">The job would have</p><${JsonTree}
      value=${rendered.payload} />`}`;
}
