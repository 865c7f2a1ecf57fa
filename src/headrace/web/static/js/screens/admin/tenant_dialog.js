import { api } from "../../api.js";
import { TextField } from "../../components/forms/field.js";
import { FormDialog } from "../../components/forms/form_dialog.js";
import { say } from "../../components/shell/toast.js";
import { html, useState } from "../../ui.js";

/** @type {["max_running" | "max_queued" | "max_payload_bytes" | "requests_per_minute", string][]} name in the API, and what people read */
export const LIMITS = [
  ["max_running", "Running"],
  ["max_queued", "Waiting"],
  ["max_payload_bytes", "Payload bytes"],
  ["requests_per_minute", "Requests / min"],
];

/** @param {{tenant?: Api.TenantAnswer, close: () => void, saved: () => void}} props tenant: then it is changed */
export function TenantDialog({ tenant, close, saved }) {
  const [name, setName] = useState(tenant?.name ?? "");
  const [title, setTitle] = useState(tenant?.title ?? "");
  const [weight, setWeight] = useState(String(tenant?.weight ?? 1));
  const [limits, setLimits] = useState(
    /** @type {Record<string, string>} */ (
      Object.fromEntries(LIMITS.map(([key]) => [key, String(tenant?.limits[key] ?? "")]))
    ),
  );
  const [queues, setQueues] = useState(tenant?.limits.queues.join(", ") ?? "");
  const [urgent, setUrgent] = useState(String(tenant?.limits.most_urgent_priority ?? ""));
  const send = async () => {
    const most = Object.fromEntries(LIMITS.map(([key]) => [key, number(limits[key])]));
    const place = { queues: queues.split(/[\s,]+/).filter(Boolean), most_urgent_priority: number(urgent) };
    const body = { title, weight: Number(weight), limits: { ...most, ...place } };
    if (tenant) await api.patch("/admin/tenants/{name}", { name }, body);
    else await api.post("/admin/tenants", {}, { name, ...body });
    say(tenant ? `Changed ${name}.` : `Made ${name}.`);
    saved();
  };
  return html`<${FormDialog} title=${tenant ? `Tenant ${tenant.name}` : "New tenant"} does=${tenant ? "Save" : "Make"}
    close=${close} send=${send}>${(/** @type {Record<string, string>} */ problems) => html`
    ${!tenant && html`<${TextField} label="Name" hint="The permanent name of the tenant." value=${name} set=${setName} problem=${problems.name} />`}
    <${TextField} label="Title" value=${title} set=${setTitle} problem=${problems.title} />
    <${TextField} label="Weight" hint="In fair queues a tenant with 3 gets three jobs for each one of a tenant with 1."
      value=${weight} set=${setWeight} problem=${problems.weight} numeric />
    <div class="field-row">${LIMITS.map(
      ([key, label]) => html`<${TextField} key=${key} label=${`Most: ${label.toLowerCase()}`}
      hint="Empty is no limit." value=${limits[key]} problem=${problems[`limits.${key}`]} numeric
      set=${(/** @type {string} */ value) => setLimits({ ...limits, [key]: value })} />`,
    )}</div>
    <${TextField} label="Queues" hint="The tenant may choose these beside the own queue of each definition, for example mail, reports."
      value=${queues} set=${setQueues} problem=${of(problems, "limits.queues")} />
    <${TextField} label="Most urgent priority" hint="The tenant may choose this number and higher ones. Empty is the definition's own."
      value=${urgent} set=${setUrgent} problem=${problems["limits.most_urgent_priority"]} numeric />`}
  </${FormDialog}>`;
}

/** @param {string} text */
const number = (text) => (text.trim() ? Number(text) : null);

/** What is wrong with a list, or with one of its values. @param {Record<string, string>} problems @param {string} field */
const of = (problems, field) =>
  problems[Object.keys(problems).find((name) => name === field || name.startsWith(`${field}.`)) ?? ""];
