import { Empty } from "../components/states.js";
import { href } from "../router.js";
import { html } from "../ui.js";

export function NotFound() {
  return html`<section class="panel"><${Empty} title="Nothing is at this address" icon="search">
    <p>The address may be mistyped, or your role may not see it.</p>
    <a class="button" href=${href("/")}>To the overview</a>
  </${Empty}></section>`;
}
