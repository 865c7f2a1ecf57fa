import { api } from "../../api.js";
import { Field, Select, TextField } from "../../components/forms/field.js";
import { FormDialog } from "../../components/forms/form_dialog.js";
import { session } from "../../session.js";
import { html, useState } from "../../ui.js";

/** @type {[Api.TokenRequest["role"], string][]} */
const ROLES = [
  ["tenant_viewer", "Tenant viewer: reads the tenant's data"],
  ["tenant_admin", "Tenant admin: changes the tenant's data too"],
  ["super_admin", "Super admin: everything"],
  ["worker", "Worker: runs jobs"],
  ["metrics", "Metrics: reads /metrics only"],
];
/** @type {[string, string][]} */
const LIVES = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "a year"],
  ["", "for ever"],
];
const DAY = 86_400;

/** @param {{close: () => void, made: (token: Api.NewTokenAnswer) => void}} props */
export function TokenDialog({ close, made }) {
  const tenants = session.value?.tenants ?? [];
  const [name, setName] = useState("");
  const [role, setRole] = useState(/** @type {Api.TokenRequest["role"]} */ ("tenant_viewer"));
  const [tenant, setTenant] = useState(tenants[0] ?? "");
  const [queues, setQueues] = useState("");
  const [days, setDays] = useState("90");
  const ofTenant = role.startsWith("tenant_");
  const send = async () => {
    const names = queues
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean);
    made(
      await api.post("/admin/tokens", {}, {
        name,
        role,
        ...(ofTenant && { tenant }),
        ...(role === "worker" && names.length > 0 && { queues: names }),
        expires_after_seconds: days ? Number(days) * DAY : null,
      }),
    );
  };
  /** @template {string} V @param {V} value @param {(value: V) => void} choose @param {[V, string][]} options */
  const select = (value, choose, options) => (/** @type {Attributes} */ attributes) =>
    html`<${Select} attributes=${attributes} value=${value} choose=${choose} options=${options} />`;
  return html`<${FormDialog} title="New token" does="Make" close=${close} send=${send}>
    ${(/** @type {Record<string, string>} */ problems) => html`
      <${TextField} label="Name" hint="The owner or the purpose of the token." value=${name} set=${setName} problem=${problems.name} />
      <${Field} label="Role" problem=${problems.role}>${select(role, setRole, ROLES)}</${Field}>
      ${
        ofTenant &&
        html`<${Field} label="Tenant" problem=${problems.tenant}>${select(
          tenant,
          setTenant,
          tenants.map((name) => [name, name]),
        )}</${Field}>`
      }
      ${
        role === "worker" &&
        html`<${TextField} label="Queues" hint="Separated by commas; all when empty." value=${queues}
        set=${setQueues} problem=${problems.queues} />`
      }
      <${Field} label="Lives" problem=${problems.expires_at}>${select(days, setDays, LIVES)}</${Field}>`}
  </${FormDialog}>`;
}
