import { html, typed, useId } from "../../ui.js";
import { Icon } from "../icon.js";

/**
 * A label, a control, and below it a hint or what is wrong. `children` is given the attributes of the control.
 * @param {{label: Children, hint?: Children, problem?: string, children: (attributes: Attributes) => Children}} props
 */
export function Field({ label, hint, problem, children }) {
  const id = useId();
  const note = problem || hint;
  const attributes = {
    id,
    class: "input",
    "aria-invalid": problem ? "true" : undefined,
    "aria-describedby": note ? `${id}-note` : undefined,
  };
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${children(attributes)}
    ${note && html`<p class="field-note ${problem ? "is-bad" : ""}" id=${`${id}-note`}>${note}</p>`}
  </div>`;
}

/** @param {{attributes: Partial<Attributes>, value: string, options: [string, string][], choose: (value: string) => void}} props */
export function Select({ attributes, value, options, choose }) {
  return html`<div class="select">
    <select ...${attributes} value=${value} onChange=${typed(choose)}>
      ${options.map(
        ([name, text]) => html`<option key=${name} value=${name} selected=${name === value}>${text}
        </option>`,
      )}
    </select><${Icon} name="down" />
  </div>`;
}

/** A line of text in a `Field`. @param {{label: Children, value: string, set: (value: string) => void, hint?: Children, problem?: string, numeric?: boolean, disabled?: boolean}} props */
export function TextField({ label, value, set, hint, problem, numeric = false, disabled = false }) {
  return html`<${Field} label=${label} hint=${hint} problem=${problem}>${(/** @type {Attributes} */ attributes) => html`<input
    ...${attributes} value=${value} disabled=${disabled} inputMode=${numeric ? "numeric" : undefined} autocomplete="off"
    spellcheck=${false} onInput=${typed(set)} />`}</${Field}>`;
}

/** A time by clocks of a named zone, as `readMoment` reads it. @param {{label: Children, value: string, set: (value: string) => void, tz: string, hint?: Children, problem?: string}} props */
export function MomentField({ label, value, set, tz, hint = `Time zone: ${tz}.`, problem }) {
  return html`<${Field} label=${label} hint=${hint} problem=${problem}>${(/** @type {Attributes} */ attributes) => html`<input
    ...${attributes} type="datetime-local" value=${value}
    onInput=${typed(set)} />`}</${Field}>`;
}
