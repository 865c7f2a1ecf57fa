// JSON as a tree of text. What was masked says so: it was never stored in the clear.
import { plural } from "../lib/format.js";
import { MASKED } from "../lib/schema.js";
import { html } from "../ui.js";
import { Icon } from "./icon.js";

// Deeper, or longer, is folded until somebody wants it.
const OPEN_TO = 2;
const OPEN_LENGTH = 50;

/** @param {{value: unknown}} props */
export function JsonTree({ value }) {
  return html`<div class="json">${isTree(value) && size(value) > 0 ? html`<${Branch} value=${value} depth=${0}
    />` : html`<${Leaf} value=${value} />`}</div>`;
}

/** @param {{value: object, depth: number}} props */
function Branch({ value, depth }) {
  return html`<ul>${Object.entries(value).map(([name, inner]) => html`<li key=${name}><${Node} name=${name}
    value=${inner} depth=${depth} /></li>`)}</ul>`;
}

/** @param {{name: string, value: unknown, depth: number}} props */
function Node({ name, value, depth }) {
  const label = html`<span class="name">${name}</span>`;
  if (!isTree(value) || size(value) === 0) return html`${label} <${Leaf} value=${value} />`;
  const what = Array.isArray(value) ? plural(value.length, "item") : plural(size(value), "key");
  return html`<details open=${depth + 1 < OPEN_TO && size(value) <= OPEN_LENGTH}>
    <summary>${label} <span class="quiet">${what}</span></summary>
    <${Branch} value=${value} depth=${depth + 1} />
  </details>`;
}

/** @param {{value: unknown}} props */
function Leaf({ value }) {
  if (value === MASKED) return html`<span class="masked"><${Icon} name="lock" small />masked</span>`;
  if (typeof value === "string") return html`<span class="string">${JSON.stringify(value)}</span>`;
  if (isTree(value)) return html`<span class="quiet">${Array.isArray(value) ? "[ ]" : "{ }"}</span>`;
  return html`<span class="literal">${String(value)}</span>`;
}

/** @param {unknown} value @returns {value is object} */
const isTree = (value) => typeof value === "object" && value !== null;
/** @param {object} value */
const size = (value) => Object.keys(value).length;
