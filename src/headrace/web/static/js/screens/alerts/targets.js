import { api } from "../../api.js";
import { Icon } from "../../components/icon.js";
import { Menu, MenuItem } from "../../components/menu.js";
import { Panel } from "../../components/panel.js";
import { loaded } from "../../components/states.js";
import { place, setQuery } from "../../router.js";
import { may } from "../../session.js";
import { html, useState } from "../../ui.js";
import { DeleteDialog } from "./delete_dialog.js";
import { Deliveries } from "./deliveries.js";
import { KeyDialog, TargetDialog } from "./target_dialog.js";
import { sendTest } from "./test_target.js";

/** What is open: a target, or a new one. @typedef {{what: "edit", target?: Api.TargetAnswer} | {what: "delete", target: Api.TargetAnswer}} Open */

/** @param {{targets: Resource<Page<Api.TargetAnswer>>}} props */
export function Targets({ targets }) {
  const [open, setOpen] = useState(/** @type {Open | null} */ (null));
  const [made, setMade] = useState(/** @type {Api.NewTargetAnswer | null} */ (null));
  const close = () => setOpen(null);
  const saved = (/** @type {Api.NewTargetAnswer} */ target) => {
    targets.reload();
    if (target.key) setMade(target);
  };
  const add = may("alert_targets.change") && html`<button class="button push" type="button"
    onClick=${() => setOpen({ what: "edit" })}><${Icon} name="plus" />New target</button>`;
  return html`<${Panel} title="Targets" note="recipients of notices" head=${add}>
    ${loaded(targets, { what: "The targets", rows: 3 }, (data) =>
      data.items.length === 0
        ? html`<div class="state state-small"><p>No target yet. A target is a webhook, some e-mail addresses or a command.</p></div>`
        : html`<ul>${data.items.map((target) => html`<${Target} key=${target.id} target=${target}
            open=${setOpen} />`)}</ul>`)}
    ${open?.what === "edit" && html`<${TargetDialog} target=${open.target} close=${close} saved=${saved} />`}
    ${made && html`<${KeyDialog} made=${made} close=${() => setMade(null)} />`}
    ${
      open?.what === "delete" &&
      html`<${DeleteDialog} what="target" name=${open.target.name} close=${close} done=${targets.reload}
      remove=${() => api.delete("/alerts/targets/{alert_target_id}", { alert_target_id: open.target.id })}
      says="No more notices are sent to this target. A target that a rule uses cannot be deleted." />`
    }
  </${Panel}>`;
}

/** @param {{target: Api.TargetAnswer, open: (open: Open) => void}} props */
function Target({ target, open }) {
  const [testing, setTesting] = useState(false);
  const test = async () => {
    setTesting(true);
    await sendTest(target);
    setTesting(false);
  };
  const looked = place.value.query.get("sent") === target.id;
  return html`<li class="rule-row" data-target=${target.id}>
    <span class="tag">${target.kind}</span>
    <div class="alert-what"><button class="link row-name" type="button" aria-expanded=${looked}
      onClick=${() => setQuery({ sent: looked ? null : target.id })}>${target.name}</button>
      <span class="cell-sub">${target.address}${target.signed ? " · signed" : ""}</span></div>
    <span class="row-actions">
      ${
        may("alert_targets.test") &&
        html`<button class="button button-small" type="button" disabled=${testing} aria-busy=${testing}
        aria-label=${`Test ${target.name}`} onClick=${test}>Test</button>`
      }
      ${
        may("alert_targets.change") &&
        html`<${Menu} label=${`Actions of ${target.name}`} class="button button-plain button-icon button-small" button=${html`<${Icon} name="more" />`}>
        <${MenuItem} does=${() => open({ what: "edit", target })}>Edit</${MenuItem}>
        <${MenuItem} does=${() => open({ what: "delete", target })}>Delete</${MenuItem}>
      </${Menu}>`
      }
    </span>
    ${looked && html`<${Deliveries} target=${target} />`}
  </li>`;
}
