import { api } from "../../api.js";
import { Copy } from "../../components/copy.js";
import { Dialog } from "../../components/forms/dialog.js";
import { Icon } from "../../components/icon.js";
import { Panel } from "../../components/panel.js";
import { useRowKeys } from "../../components/rows.js";
import { loaded } from "../../components/states.js";
import { RelativeTime } from "../../components/time.js";
import { say, sayRefused } from "../../components/shell/toast.js";
import { useKeys } from "../../keyboard.js";
import { useResource } from "../../resource.js";
import { may } from "../../session.js";
import { html, ticked, useState } from "../../ui.js";
import { TokenDialog } from "./token_dialog.js";

export function Tokens() {
  const tokens = useResource("tokens", (signal) => api.get("/admin/tokens", {}, signal));
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState(/** @type {Api.NewTokenAnswer | null} */ (null));
  const [revoking, setRevoking] = useState(/** @type {Api.TokenAnswer | null} */ (null));
  const [all, setAll] = useState(false);
  const changes = may("tokens.change");
  useRowKeys("token");
  useKeys(changes ? [{ keys: "c", says: "New token", does: () => setMaking(true) }] : []);
  const show = (/** @type {Api.NewTokenAnswer} */ token) => {
    setMade(token);
    tokens.reload();
  };
  const revoke = async (/** @type {Api.TokenAnswer} */ token) => {
    try {
      await api.delete("/admin/tokens/{token_id}", { token_id: token.id });
      say(`Revoked ${token.name}. The token is no longer valid.`);
    } catch (error) {
      sayRefused("Not revoked.", error);
    }
    setRevoking(null);
    tokens.reload();
  };
  const good = (/** @type {Api.TokenAnswer} */ token) => !token.revoked_at && !token.expired;
  const head = html`<label class="field-check push soft"><input type="checkbox" checked=${all}
      onChange=${ticked(setAll)} /> Revoked and expired too</label>
    ${changes && html`<button class="button button-primary" type="button" onClick=${() => setMaking(true)}><${Icon} name="plus" />New token</button>`}`;
  return html`
    <${Panel} title="Tokens" note="known by their hash; shown once" head=${head}>
      ${loaded(tokens, { what: "The tokens" }, (data) => html`<div class="table-scroll"><table class="cards">
        <thead><tr><th scope="col">Token</th><th scope="col">Role</th><th scope="col">Tenant</th><th scope="col">Queues</th>
          <th scope="col" class="num">Made</th><th scope="col" class="num">Last used</th><th scope="col" class="num">Expires</th>
          <th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
        <tbody>${data.items
          .filter((token) => all || good(token))
          .map(
            (token) => html`<tr key=${token.id} data-token=${token.id} class=${good(token) ? undefined : "is-off"}>
          <td class="card-title clip"><span class="row-name" data-row tabindex="-1">${token.name}</span></td>
          <td data-label="Role">${token.role.replace("_", " ")}</td>
          <td class="soft" data-label="Tenant">${token.tenant ?? html`<span class="quiet">all</span>`}</td>
          <td class="soft" data-label="Queues">${token.queues.join(", ").replace("*", "all")}</td>
          <td class="num" data-label="Made"><${RelativeTime} at=${token.created_at} /></td>
          <td class="num" data-label="Last used">${token.last_used_at ? html`<${RelativeTime} at=${token.last_used_at} />` : html`<span class="quiet">never</span>`}</td>
          <td class="num" data-label="Expires">${token.expires_at ? html`<${RelativeTime} at=${token.expires_at} />` : html`<span class="quiet">never</span>`}</td>
          <td class="num card-actions">${
            token.revoked_at
              ? html`<span class="tag">revoked</span>`
              : !good(token)
                ? html`<span class="tag">expired</span>`
                : changes &&
                  html`<button class="button button-plain button-small" type="button" aria-label=${`Revoke ${token.name}`}
                    onClick=${() => setRevoking(token)}>Revoke</button>`
          }</td>
        </tr>`,
          )}</tbody></table></div>`)}
    </${Panel}>
    ${making && html`<${TokenDialog} close=${() => setMaking(false)} made=${show} />`}
    ${
      made &&
      html`<${Dialog} title=${`Token ${made.name}`} close=${() => setMade(null)} foot=${html`<button
        class="button button-primary" type="button" onClick=${() => setMade(null)}>I have stored it</button>`}>
      <div class="dialog-body"><p>Copy the token now. It is shown only once; only its hash is stored.</p>
        <p class="secret"><code class="code-block">${made.token}</code><${Copy} class="button" label="Copy the token"
          text=${() => made.token}>Copy</${Copy}></p></div>
    </${Dialog}>`
    }
    ${
      revoking &&
      html`<${Dialog} title=${`Revoke ${revoking.name}`} close=${() => setRevoking(null)} onSubmit=${() => revoke(revoking)}
      foot=${html`<button class="button" type="button" onClick=${() => setRevoking(null)}>Not now</button>
        <button class="button button-danger" type="submit">Revoke</button>`}>
      <div class="dialog-body"><p>Within a second requests with this token are refused. This cannot be undone.</p></div>
    </${Dialog}>`
    }`;
}
