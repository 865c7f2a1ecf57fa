import { api } from "../../api.js";
import { loaded } from "../../components/states.js";
import { RelativeTime } from "../../components/time.js";
import { duration } from "../../lib/format.js";
import { useEvery, useResource } from "../../resource.js";
import { html } from "../../ui.js";

const EVERY = 5000;
const EVENTS = /** @type {Record<string, string>} */ ({
  firing: "it began",
  repeated: "it lasts",
  escalated: "not acknowledged",
  recovered: "the alert closed",
  test: "a test",
});

/** Each attempt to notify a target, the newest first. @param {{target: Api.TargetAnswer}} props */
export function Deliveries({ target }) {
  const attempts = useResource(`deliveries to ${target.id}`, (signal) =>
    api.get("/alerts/deliveries", { target_id: target.id, limit: 50 }, signal),
  );
  useEvery(attempts.reload, EVERY);
  return html`<div class="deliveries" role="region" aria-label=${`What was sent to ${target.name}`}>
    ${loaded(attempts, { what: "What was sent", rows: 3 }, (data) =>
      data.items.length === 0
        ? html`<p class="quiet">No notice was sent to this target yet.</p>`
        : html`<ul>${data.items.map((delivery) => html`<li key=${delivery.id}>
            <span>${delivery.rule ? `${delivery.rule}: ` : ""}${EVENTS[delivery.event] ?? delivery.event}</span>
            <span class="num quiet"><${RelativeTime} at=${delivery.at} /></span>
            <span class="cell-sub ${delivery.error ? "is-bad" : ""}">${delivery.error ?? `arrived in ${duration(delivery.seconds)}${delivery.status_code ? `, answered ${delivery.status_code}` : ""}`}</span>
          </li>`)}</ul>`)}
  </div>`;
}
