// The server's own matters: tenants, tokens, who changed what, and how long history is kept.
import { Tabs } from "../components/tabs.js";
import { capital } from "../lib/format.js";
import { href } from "../router.js";
import { may } from "../session.js";
import { html } from "../ui.js";
import { AuditTrail } from "./admin/audit.js";
import { Retention } from "./admin/retention.js";
import { Tenants } from "./admin/tenants.js";
import { Tokens } from "./admin/tokens.js";
import { NotFound } from "./not_found.js";

/** @type {Record<string, {needs: string, part: () => Children}>} */
const PARTS = {
  tenants: { needs: "tenants.read", part: Tenants },
  tokens: { needs: "tokens.read", part: Tokens },
  audit: { needs: "audit.read", part: AuditTrail },
  retention: { needs: "retention.read", part: Retention },
};

/** @param {{params: Record<string, string>}} props */
export function Admin({ params }) {
  const name = params.part ?? "tenants";
  const chosen = Object.hasOwn(PARTS, name) && may(PARTS[name].needs) ? PARTS[name] : null;
  if (!chosen) return html`<${NotFound} />`;
  const tabs = Object.entries(PARTS)
    .filter(([, { needs }]) => may(needs))
    .map(([part]) => ({
      name: capital(part),
      href: href(part === "tenants" ? "/admin" : `/admin/${part}`),
      current: part === name,
    }));
  return html`
    <header class="page-head"><h1>Admin</h1></header>
    <div class="stack stack-tight"><${Tabs} label="Admin" tabs=${tabs} /><${chosen.part} /></div>`;
}
