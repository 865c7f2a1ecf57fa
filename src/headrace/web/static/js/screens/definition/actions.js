import { api } from "../../api.js";
import { Icon } from "../../components/icon.js";
import { Menu, MenuItem } from "../../components/menu.js";
import { PauseDialog } from "../../components/forms/pause_dialog.js";
import { sayRefused } from "../../components/shell/toast.js";
import { useKeys } from "../../keyboard.js";
import { href } from "../../router.js";
import { may } from "../../session.js";
import { html, useState } from "../../ui.js";
import { EnqueueDialog } from "../jobs/enqueue.js";

/** What operators alone see may not be there. @typedef {Api.DefinitionAnswer & Partial<Api.InspectedDefinition>} Definition */

/** @param {{definition: Definition, show: (changed: Partial<Api.InspectedDefinition>) => void}} props */
export function Actions({ definition, show }) {
  const [dialog, setDialog] = useState(/** @type {"" | "enqueue" | "pause"} */ (""));
  const close = () => setDialog("");
  const { key } = definition;
  const change = async (
    /** @type {Partial<Api.InspectedDefinition>} */ wanted,
    /** @type {Promise<Api.InspectedDefinition>} */ answer,
    /** @type {string} */ refused,
  ) => {
    show(wanted);
    try {
      show(await answer);
    } catch (error) {
      show(definition);
      sayRefused(refused, error);
    }
  };
  const enable = (/** @type {boolean} */ enabled) =>
    change(
      { enabled },
      api.patch("/admin/jobs/definitions/{key}", { key }, { enabled }),
      enabled ? "Not enabled." : "Not disabled.",
    );
  const pause = async (/** @type {Api.PauseRequest} */ request) =>
    show(await api.post("/admin/jobs/definitions/{key}/pause", { key }, request));
  const resume = () =>
    change({ paused: false, pause: null }, api.post("/admin/jobs/definitions/{key}/resume", { key }), "Not resumed.");
  const runnable = definition.enabled !== false && !definition.deleted_from_code_at && may("jobs.enqueue");
  const pauses = may("definitions.pause");
  useKeys(runnable ? [{ keys: "e", says: "Enqueue a job of it", does: () => setDialog("enqueue") }] : []);
  return html`<div class="actions">
    ${pauses && (definition.paused ? html`<button class="button" type="button" onClick=${resume}><${Icon} name="play" />Resume
      </button>` : html`<button class="button" type="button" onClick=${() => setDialog("pause")}><${Icon} name="pause" />Pause
      </button>`)}
    ${runnable && html`<button class="button button-primary" type="button" onClick=${() => setDialog("enqueue")}><${Icon}
      name="plus" />Enqueue</button>`}
    <${Menu} label="Actions" class="button button-icon" button=${html`<${Icon} name="more" />`}>
      <${MenuItem} href=${href("/jobs", { q: `definition:${definition.key}` })}>Its jobs</${MenuItem}>
      <${MenuItem} href=${href("/triggers", { definition: definition.key })}>Its triggers</${MenuItem}>
      ${may("definitions.update") && html`<${MenuItem} does=${() => enable(!definition.enabled)}>
        ${definition.enabled ? "Disable" : "Enable"}</${MenuItem}>`}
    </${Menu}>
    ${dialog === "enqueue" && html`<${EnqueueDialog} definition=${definition.key} close=${close} />`}
    ${dialog === "pause" && html`<${PauseDialog} what=${`definition ${definition.key}`} close=${close} pause=${pause}
      says="No more of its jobs start, for all tenants. Running jobs continue; enqueues are accepted and wait." />`}
  </div>`;
}
