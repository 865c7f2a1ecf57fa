import { share } from "../../lib/format.js";
import { html } from "../../ui.js";

// So many tenants have a shade of their own; the rest is one.
const NAMED = 2;

/** @typedef {{named: string[], others: number}} Shares */

/** The tenants that ran most, over all queues. @param {Api.QueueChartAnswer[]} history @returns {Shares} */
export function sharesOf(history) {
  /** @type {Map<string, number>} */
  const runs = new Map();
  for (const queue of history)
    for (const one of queue.shares) runs.set(one.tenant, (runs.get(one.tenant) ?? 0) + one.runs);
  const all = [...runs].sort((a, b) => b[1] - a[1]).map(([tenant]) => tenant);
  return { named: all.slice(0, NAMED), others: Math.max(0, all.length - NAMED) };
}

/** @param {{shares: Shares}} props */
export function ShareLegend({ shares }) {
  if (shares.named.length === 0) return null;
  return html`<p class="legend push wide-only">
    ${shares.named.map((tenant, i) => html`<span key=${tenant}><i class="key key-share-${i}" />${tenant}</span>`)}
    ${shares.others > 0 && html`<span><i class="key key-share-${NAMED}" />${shares.others} others</span>`}
  </p>`;
}

/** Whose jobs ran in the last hour. @param {{ran: Api.TenantRunsAnswer[], shares: Shares}} props */
export function ShareBar({ ran, shares }) {
  const all = ran.reduce((n, one) => n + one.runs, 0);
  if (all === 0) return html`<span class="quiet">none ran</span>`;
  const parts = shares.named.map((tenant) => ({ tenant, runs: ran.find((one) => one.tenant === tenant)?.runs ?? 0 }));
  const rest = all - parts.reduce((n, one) => n + one.runs, 0);
  const named = [...parts, { tenant: "others", runs: rest }];
  const says = named
    .filter((one) => one.runs > 0)
    .map((one) => `${one.tenant} ${share(one.runs, all)}`)
    .join(", ");
  return html`<span class="share" role="img" aria-label=${says} title=${says}>
    ${named.map((one, i) => one.runs > 0 && html`<i key=${one.tenant} class="key-share-${i}" style=${{ flexGrow: one.runs / all }} />`)}
  </span>`;
}
