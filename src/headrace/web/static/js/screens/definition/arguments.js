import { JsonTree } from "../../components/json_tree.js";
import { Panel } from "../../components/panel.js";
import { Segmented } from "../../components/forms/segmented.js";
import { fieldsOf } from "../../lib/schema.js";
import { html, useState } from "../../ui.js";

const KINDS = /** @type {Record<string, string>} */ ({ long: "text", choice: "one of", json: "JSON" });

/** What it takes. @param {{definition: Api.DefinitionAnswer}} props */
export function Arguments({ definition }) {
  const [mode, setMode] = useState("table");
  const fields = fieldsOf(definition.payload_schema, definition.secret_fields);
  fields.sort((a, b) => Number(b.required) - Number(a.required));
  const modes = html`<${Segmented} class="push" label="Schema as" options=${[
    ["table", "Table"],
    ["json", "JSON Schema"],
  ]} value=${mode} choose=${setMode} />`;
  return html`<${Panel} title="Arguments" head=${modes}>
    ${
      mode === "json"
        ? html`<${JsonTree} value=${definition.payload_schema} />`
        : fields.length === 0
          ? html`<p class="panel-body quiet">This definition takes no arguments.</p>`
          : html`<div class="table-scroll ruled" tabindex="0" role="group" aria-label="Arguments"><table>
            <thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Default</th>
              <th scope="col">What</th></tr></thead>
            <tbody>${fields.map((field) => html`<tr key=${field.name}>
              <td><code>${field.name}</code>${field.required && html` <span class="quiet">needed</span>`}</td>
              <td class="soft">${KINDS[field.kind] ?? field.kind} ${(field.choices ?? []).map((one) => JSON.stringify(one)).join(", ")}</td>
              <td><code>${field.initial === undefined ? "" : JSON.stringify(field.initial)}</code></td>
              <td class="clip soft" title=${field.hint}>${field.hint}</td>
            </tr>`)}</tbody>
          </table></div>`
    }
  </${Panel}>`;
}
