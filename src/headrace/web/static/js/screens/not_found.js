import { Empty } from "../components/states.js";
import { href } from "../router.js";
import { html } from "../ui.js";

export function NotFound() {
  return html`<section class="panel"><${Empty} title="Nothing is at this address" icon="search">
    <p>It may be mistyped, or not for your role.</p>
    <a class="button" href=${href("/")}>To the overview</a>
  </${Empty}></section>`;
}
