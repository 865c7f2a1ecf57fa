import { api } from "../../api.js";
import { Icon } from "../../components/icon.js";
import { Menu, MenuItem } from "../../components/menu.js";
import { say, sayRefused } from "../../components/shell/toast.js";
import { useKeys } from "../../keyboard.js";
import { href, navigate } from "../../router.js";
import { may } from "../../session.js";
import { html, useState } from "../../ui.js";
import { runNow, skipNext } from "../triggers/change.js";
import { EditDialog } from "../triggers/edit.js";
import { BackfillDialog } from "./backfill.js";
import { DeleteDialog } from "./delete.js";
import { PauseTrigger } from "./pause.js";

/** @param {{trigger: Api.TriggerAnswer, show: (trigger: Api.TriggerAnswer) => void, reload: () => void}} props */
export function Actions({ trigger, show, reload }) {
  const [dialog, setDialog] = useState(/** @type {"" | "edit" | "pause" | "backfill" | "delete"} */ (""));
  const close = () => setDialog("");
  const fires = may("triggers.fire") && trigger.trigger_type !== "event";
  const scheduled = fires && trigger.trigger_type === "schedule";
  const changes = may("triggers.change");
  const reset = async () => {
    try {
      show(await api.post("/jobs/triggers/{trigger_id}/reset", { trigger_id: trigger.id }));
      say(`${trigger.name} is reset to the settings in code.`);
      reload();
    } catch (error) {
      sayRefused("Not reset.", error);
    }
  };
  useKeys([
    ...(fires ? [{ keys: "r", says: "Run this trigger now", does: () => runNow(trigger, reload) }] : []),
    ...(changes ? [{ keys: "e", says: "Edit this trigger", does: () => setDialog("edit") }] : []),
  ]);
  if (!fires && !changes) return null;
  return html`<div class="actions">
    ${fires && html`<button class="button" type="button" onClick=${() => runNow(trigger, reload)}><${Icon} name="play" />Run
      now</button>`}
    ${changes && html`<button class="button" type="button" onClick=${() => setDialog("edit")}><${Icon} name="edit" />Edit
      </button>`}
    <${Menu} label="Actions" class="button button-icon" button=${html`<${Icon} name="more" />`}>
      ${scheduled && trigger.next_run_at && html`<${MenuItem} does=${() => skipNext(trigger, reload)}>Skip the next
        </${MenuItem}>`}
      ${scheduled && html`<${MenuItem} does=${() => setDialog("backfill")}>Backfill</${MenuItem}>`}
      ${changes && trigger.enabled && html`<${MenuItem} does=${() => setDialog("pause")}>Pause with a note</${MenuItem}>`}
      ${changes && Object.keys(trigger.overrides).length > 0 && html`<${MenuItem} does=${reset}>Reset to what code says
        </${MenuItem}>`}
      <${MenuItem} href=${href("/jobs", { q: `trigger:${trigger.id}` })}>Its jobs</${MenuItem}>
      ${changes && trigger.app === null && html`<${MenuItem} does=${() => setDialog("delete")}>Delete</${MenuItem}>`}
    </${Menu}>
    ${dialog === "edit" && html`<${EditDialog} trigger=${trigger} close=${close} saved=${reload} />`}
    ${dialog === "pause" && html`<${PauseTrigger} trigger=${trigger} show=${show} close=${close} />`}
    ${dialog === "backfill" && html`<${BackfillDialog} trigger=${trigger} close=${close} done=${reload} />`}
    ${dialog === "delete" && html`<${DeleteDialog} trigger=${trigger} close=${close}
      done=${() => navigate(href("/triggers"))} />`}
  </div>`;
}
