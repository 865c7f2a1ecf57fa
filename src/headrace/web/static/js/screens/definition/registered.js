import { Panel } from "../../components/panel.js";
import { RelativeTime } from "../../components/time.js";
import { html } from "../../ui.js";

/** Whose code declares it, and which workers know it. @param {{definition: Api.InspectedDefinition}} props */
export function Registered({ definition }) {
  const { workers } = definition;
  return html`<${Panel} title="Registered">
    <dl class="facts ruled">
      <dt>Declared</dt><dd>${definition.function ? html`as the function <code>${definition.function}</code>` : `in code of ${definition.app}`}</dd>
      <dt>Synced</dt><dd><${RelativeTime} at=${definition.synced_at} /></dd>
      ${definition.deleted_from_code_at && html`<dt>Deleted</dt><dd class="is-warn">from code <${RelativeTime}
        at=${definition.deleted_from_code_at} /></dd>`}
      <dt>Workers</dt><dd>${workers.length === 0 ? html`<span class="is-warn">none that is live knows it</span>` : workers.join(", ")}</dd>
    </dl>
  </${Panel}>`;
}
