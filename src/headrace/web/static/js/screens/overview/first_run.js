import { Copy } from "../../components/copy.js";
import { html } from "../../ui.js";

/** @type {[string, string][]} */
const WAYS = [
  [
    "In Python",
    '@hr.job\nasync def greet(name: str) -> str:\n    return f"Hello, {name}"\n\nawait greet.enqueue(name="world")',
  ],
  ["In SQL", "select headrace.enqueue(\n  'greet', '{\"name\": \"world\"}');"],
  ["On the command line", "headrace jobs enqueue greet -a name=world"],
];

/** The first day: how a job is made. @param {{workers: number}} props */
export function FirstRun({ workers }) {
  return html`<section class="panel" aria-labelledby="first-run">
    <div class="first-run-lead">
      <h2 id="first-run">Enqueue the first job</h2>
      <p>${workers > 0 ? "A worker is ready, so it will start at once." : "It will wait until a worker runs: start one with headrace worker."}
        </p>
    </div>
    <div class="first-run-ways">${WAYS.map(([name, code]) => html`<div key=${name}><h3>${name}</h3><${Copy}
      label=${`Copy: ${name}`} text=${() => code} /><pre class="code-block" tabindex="0">${code}</pre></div>`)}</div>
  </section>`;
}
