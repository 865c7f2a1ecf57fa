import { api } from "../../api.js";
import { Icon } from "../../components/icon.js";
import { Panel } from "../../components/panel.js";
import { PauseDialog, Paused } from "../../components/forms/pause_dialog.js";
import { useRowKeys } from "../../components/rows.js";
import { Empty, loaded } from "../../components/states.js";
import { RelativeTime } from "../../components/time.js";
import { sayRefused } from "../../components/shell/toast.js";
import { useKeys } from "../../keyboard.js";
import { count } from "../../lib/format.js";
import { showRow, useResource } from "../../resource.js";
import { href } from "../../router.js";
import { may, readSession } from "../../session.js";
import { html, useState } from "../../ui.js";
import { LIMITS, TenantDialog } from "./tenant_dialog.js";

/** @typedef {{what: "new"} | {what: "edit" | "pause", tenant: Api.TenantAnswer}} Open */

export function Tenants() {
  const tenants = useResource("tenants", (signal) => api.get("/admin/tenants", { limit: 500 }, signal));
  const [open, setOpen] = useState(/** @type {Open | null} */ (null));
  const changes = may("tenants.change");
  useRowKeys("tenant");
  useKeys(changes ? [{ keys: "c", says: "New tenant", does: () => setOpen({ what: "new" }) }] : []);
  const close = () => setOpen(null);
  const saved = () => {
    tenants.reload();
    readSession();
  };
  const put = (/** @type {Api.TenantAnswer} */ changed) => showRow(tenants, "name", changed);
  const resume = async (/** @type {Api.TenantAnswer} */ tenant) => {
    put({ ...tenant, paused: false, pause: null });
    try {
      put(await api.post("/admin/tenants/{name}/resume", { name: tenant.name }));
    } catch (error) {
      put(tenant);
      sayRefused("Not resumed.", error);
    }
  };
  const add = html`<button class="button button-primary" type="button" onClick=${() => setOpen({ what: "new" })}><${Icon}
    name="plus" />New tenant</button>`;
  return html`
    <${Panel} title="Tenants" head=${changes && html`<span class="push">${add}</span>`}>
      ${loaded(tenants, { what: "The tenants" }, (data) =>
        data.items.length === 0
          ? html`<${Empty} title="No tenant yet" icon="admin"><p>A tenant owns jobs.</p></${Empty}>`
          : html`<div class="table-scroll"><table class="cards">
            <thead><tr><th scope="col">Tenant</th><th scope="col">Title</th><th scope="col" class="num">Weight</th>
              ${LIMITS.map(([, label]) => html`<th scope="col" class="num" key=${label}>${label}</th>`)}
              <th scope="col" class="num">Made</th><th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
            <tbody>${data.items.map(
              (tenant) => html`<tr key=${tenant.name} data-tenant=${tenant.name}>
              <td class="card-title"><a class="row-name" data-row href=${href("/jobs", { tenant: tenant.name })}>${tenant.name}</a>${
                tenant.pause && html`<${Paused} pause=${tenant.pause} />`
              }</td>
              <td class="clip soft" data-label="Title">${tenant.title}</td>
              <td class="num" data-label="Weight">${tenant.weight}</td>
              ${LIMITS.map(
                ([name, label]) =>
                  html`<td class="num" key=${name} data-label=${label}>${
                    tenant.limits[name] === null
                      ? html`<span class="quiet">no limit</span>`
                      : count(tenant.limits[name])
                  }</td>`,
              )}
              <td class="num soft" data-label="Made"><${RelativeTime} at=${tenant.created_at} /></td>
              <td class="num card-actions"><span class="row-actions">
                ${
                  changes &&
                  html`<button class="button button-plain button-small" type="button" aria-label=${`Edit ${tenant.name}`}
                  onClick=${() => setOpen({ what: "edit", tenant })}><${Icon} name="edit" />Edit</button>`
                }
                ${
                  may("tenants.pause") &&
                  (tenant.paused
                    ? html`<button class="button button-small" type="button" aria-label=${`Resume ${tenant.name}`}
                      onClick=${() => resume(tenant)}><${Icon} name="play" />Resume</button>`
                    : html`<button class="button button-plain button-small" type="button" aria-label=${`Pause ${tenant.name}`}
                      onClick=${() => setOpen({ what: "pause", tenant })}><${Icon} name="pause" />Pause</button>`)
                }</span></td>
            </tr>`,
            )}</tbody></table></div>`)}
    </${Panel}>
    ${open && open.what !== "pause" && html`<${TenantDialog} tenant=${open.what === "edit" ? open.tenant : undefined} close=${close} saved=${saved} />`}
    ${
      open?.what === "pause" &&
      html`<${PauseDialog} what=${`tenant ${open.tenant.name}`} close=${close}
      says="No more of its jobs are claimed. Running jobs continue, and enqueues are accepted."
      pause=${async (/** @type {Api.PauseRequest} */ request) =>
        put(await api.post("/admin/tenants/{name}/pause", { name: open.tenant.name }, request))} />`
    }`;
}
