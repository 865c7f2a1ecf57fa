import { api } from "../../api.js";
import { Icon } from "../../components/icon.js";
import { Menu, MenuItem } from "../../components/menu.js";
import { Panel } from "../../components/panel.js";
import { loaded } from "../../components/states.js";
import { sayRefused } from "../../components/shell/toast.js";
import { useKeys } from "../../keyboard.js";
import { tellsWords } from "../../lib/alert_form.js";
import { showRow, useResource } from "../../resource.js";
import { tenant } from "../../router.js";
import { may, session } from "../../session.js";
import { html, ticked, useState } from "../../ui.js";
import { DeleteDialog } from "./delete_dialog.js";
import { RuleDialog } from "./rule_dialog.js";

/** What is open: a rule, or a new one. @typedef {{what: "edit", rule?: Api.RuleAnswer} | {what: "delete", rule: Api.RuleAnswer}} Open */

/** @param {{rules: Resource<Page<Api.RuleAnswer>>, targets: Api.TargetAnswer[]}} props */
export function Rules({ rules, targets }) {
  const [open, setOpen] = useState(/** @type {Open | null} */ (null));
  const known = useResource("settings of alert rules", (signal) => api.get("/settings/alert_rule", {}, signal));
  const close = () => setOpen(null);
  const changes = may("alert_rules.change");
  useKeys(changes ? [{ keys: "c", says: "New alert rule", does: () => setOpen({ what: "edit" }) }] : []);
  const put = (/** @type {Api.RuleAnswer} */ changed) => showRow(rules, "id", changed);
  // A rule tells targets of its own tenant; one without a tenant is the server's.
  const owner = open?.rule ? open.rule.tenant : (tenant.value ?? session.value?.tenant ?? null);
  const add = changes && html`<button class="button push" type="button" onClick=${() => setOpen({ what: "edit" })}><${Icon}
    name="plus" />New rule</button>`;
  return html`<${Panel} title="Rules" note="conditions to watch" head=${add}>
    ${loaded(rules, { what: "The rules", rows: 3 }, (data) =>
      data.items.length === 0
        ? html`<div class="state state-small"><p>No rule yet. A rule watches a condition and notifies targets.</p></div>`
        : html`<ul>${data.items.map((rule) => html`<${Rule} key=${rule.id} rule=${rule} put=${put} open=${setOpen}
            nameOf=${(/** @type {string} */ id) => targets.find((one) => one.id === id)?.name ?? "a target"} />`)}</ul>`)}
    ${
      open?.what === "edit" &&
      known.data &&
      html`<${RuleDialog} known=${known.data} rule=${open.rule} close=${close} saved=${rules.reload}
      targets=${targets.filter((one) => one.tenant === owner)} />`
    }
    ${
      open?.what === "delete" &&
      html`<${DeleteDialog} what="rule" name=${open.rule.name} close=${close} done=${rules.reload}
      remove=${() => api.delete("/alerts/rules/{alert_rule_id}", { alert_rule_id: open.rule.id })}
      says="Its alerts are deleted too. Notices stay in the log of the targets." />`
    }
  </${Panel}>`;
}

/** @param {{rule: Api.RuleAnswer, put: (rule: Api.RuleAnswer) => void, open: (open: Open) => void, nameOf: (id: string) => string}} props */
function Rule({ rule, put, open, nameOf }) {
  const changes = may("alert_rules.change");
  const turn = async (/** @type {boolean} */ enabled) => {
    put({ ...rule, enabled });
    try {
      const path = enabled ? "/alerts/rules/{alert_rule_id}/enable" : "/alerts/rules/{alert_rule_id}/disable";
      put(await api.post(path, { alert_rule_id: rule.id }));
    } catch (error) {
      put(rule);
      sayRefused(enabled ? "Not turned on." : "Not turned off.", error);
    }
  };
  return html`<li class="rule-row" data-rule=${rule.id}>
    <label class="switch"><input type="checkbox" role="switch" checked=${rule.enabled} disabled=${!changes}
      aria-label=${`${rule.name} is on`} onChange=${ticked(turn)} /><span /></label>
    <div class="alert-what"><span class="row-name">${rule.name}</span> ${rule.open_alerts > 0 && html`<span
      class="tag tag-warn">${rule.open_alerts} open</span>`}
      <span class="cell-sub">${rule.looks_for}${whose(rule)}</span></div>
    <div class="num rule-tells"><span>${rule.targets.map(nameOf).join(", ") || html`<span class="is-warn">tells nobody</span>`}</span>
      <span class="cell-sub">${tellsWords(rule, nameOf)}</span></div>
    ${
      changes &&
      html`<${Menu} label=${`Actions of ${rule.name}`} class="button button-plain button-icon button-small" button=${html`<${Icon} name="more" />`}>
      <${MenuItem} does=${() => open({ what: "edit", rule })}>Edit</${MenuItem}>
      <${MenuItem} does=${() => open({ what: "delete", rule })}>Delete</${MenuItem}>
    </${Menu}>`
    }
  </li>`;
}

/** Where rules of several are seen together. @param {Api.RuleAnswer} rule */
const whose = (rule) =>
  session.value?.tenant || tenant.value ? "" : rule.tenant ? ` · of ${rule.tenant}` : " · of all tenants together";
