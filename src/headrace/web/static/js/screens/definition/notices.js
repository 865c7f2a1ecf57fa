import { Icon } from "../../components/icon.js";
import { PausedWords } from "../../components/forms/pause_dialog.js";
import { RelativeTime } from "../../components/time.js";
import { html } from "../../ui.js";

/** Why its jobs do not run. @param {{definition: Api.InspectedDefinition}} props */
export function Notices({ definition }) {
  const { pause } = definition;
  return html`
    ${definition.deleted_from_code_at && html`<p class="banner"><${Icon} name="warning" /><span>Deleted from code
      <${RelativeTime} at=${definition.deleted_from_code_at} />. Waiting jobs stay; new enqueues are refused.</span></p>`}
    ${!definition.enabled && html`<p class="banner"><${Icon} name="warning" /><span>Disabled: new enqueues are refused.
      </span></p>`}
    ${pause && html`<p class="banner"><${Icon} name="pause" /><span><${PausedWords} pause=${pause} /></span></p>`}`;
}
