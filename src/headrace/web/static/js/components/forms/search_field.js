// A search of words and qualifiers: finished qualifiers become tokens, the rest stays text.
import { problemOf, parseQuery, writeQuery, writeTerm } from "../../lib/query.js";
import { html, typed, useId, useRef, useState } from "../../ui.js";
import { Icon } from "../icon.js";

/** @typedef {{text: string, says?: string, note?: string}} Suggestion text: put in place of the last word */
/** @typedef {{title: string, items: Suggestion[]}} Group */

/**
 * @param {object} props
 * @param {string} props.label
 * @param {string} [props.hint] what may be written, as long as nothing is
 * @param {string} props.value the whole query
 * @param {(value: string) => void} props.change
 * @param {(word: string) => Group[]} props.suggest for the word being written
 * @param {string} [props.also] other qualifiers, below the suggestions
 */
export function SearchField({ label, hint, value, change, suggest, also }) {
  const { terms, rest } = parseQuery(value);
  const [text, setText] = useState(rest);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const id = useId();
  const last = useRef(value);
  // The address changed by another way than this field: show what it says.
  if (last.current !== value) {
    last.current = value;
    if (text !== rest) setText(rest);
  }

  const word = text.match(/\S*$/)?.[0] ?? "";
  const groups = open ? suggest(word).filter((group) => group.items.length > 0) : [];
  const all = groups.flatMap((group) => group.items);
  const problem = problemOf(parseQuery(value));

  const commit = (/** @type {string} */ written, /** @type {typeof terms} */ kept = terms) => {
    const parsed = parseQuery(written);
    const next = writeQuery({ terms: [...kept, ...parsed.terms], rest: parsed.rest });
    last.current = next;
    setText(parsed.rest);
    setAt(0);
    if (next !== value) change(next);
  };
  const take = (/** @type {Suggestion} */ suggestion) => {
    const written = text.slice(0, text.length - word.length) + suggestion.text;
    if (suggestion.text.endsWith(":")) {
      setText(written);
      setAt(0);
    } else commit(written);
    input.current?.focus();
  };
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      setOpen(true);
      if (all.length) setAt((at + (event.key === "ArrowDown" ? 1 : all.length - 1)) % all.length);
    } else if (event.key === "Tab" && open && word && all[at] && !event.shiftKey) take(all[at]);
    else if (event.key === "Enter") {
      // With a word begun, the suggestion that is marked; with a whole one, that.
      if (open && word.includes(":") && !word.endsWith(":") && all[at] && all[at].text.startsWith(word)) take(all[at]);
      else commit(text);
      setOpen(false);
    } else if (event.key === "Escape") {
      if (open) setOpen(false);
      else input.current?.blur();
    } else if (event.key === " " && parseQuery(text).terms.length) {
      commit(text);
      setOpen(true);
    } else if (event.key === "Backspace" && text === "" && terms.length) {
      const taken = terms[terms.length - 1];
      commit("", terms.slice(0, -1));
      setText(writeTerm(taken));
    } else return;
    event.preventDefault();
  };

  return html`<div class="search-row">
    <form class="search" role="search" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <${Icon} name="search" />
      ${terms.map(
        (term, i) => html`<span class="token" key=${i}><span><b>${term.name}:</b>${term.value}</span>
        <button type="button" aria-label=${`Remove ${writeTerm(term)}`} onClick=${() =>
          commit(
            text,
            terms.filter((_, n) => n !== i),
          )}><${Icon} name="close" small /></button></span>`,
      )}
      <input ref=${input} data-search value=${text} aria-label=${label} role="combobox"
        placeholder=${terms.length ? undefined : hint}
        aria-expanded=${all.length > 0} aria-controls=${id} aria-autocomplete="list"
        aria-activedescendant=${all.length ? `${id}-${at}` : undefined} autocomplete="off" spellcheck=${false}
        onInput=${typed((written) => {
          setText(written);
          setOpen(true);
          setAt(0);
        })}
        onFocus=${() => setOpen(true)} onBlur=${() => setOpen(false)} onKeyDown=${onKeyDown} />
      <kbd class="wide-only" aria-hidden="true">/</kbd>
    </form>
    ${
      all.length > 0 &&
      html`<div class="menu suggestions" onMouseDown=${(/** @type {Event} */ event) => event.preventDefault()}>
      <ul role="listbox" id=${id} aria-label="Suggestions">
        ${groups.map(
          (group) => html`<li class="menu-title" role="presentation" key=${group.title}>${group.title}</li>
          ${group.items.map((item) => {
            const n = all.indexOf(item);
            return html`<li role="option" key=${item.text} id=${`${id}-${n}`} aria-selected=${n === at}
              onClick=${() => take(item)}>
              <code>${item.text}</code>${item.says && html`<span class="quiet">${item.says}</span>`}
              ${n === at ? html`<span class="push"><kbd>Tab</kbd></span>` : item.note && html`<span class="push quiet">
                ${item.note}</span>`}
            </li>`;
          })}`,
        )}
      </ul>
      ${also && html`<p class="menu-foot">${also}</p>`}
    </div>`
    }
    ${problem && html`<p class="visually-hidden" role="alert">${problem}</p>`}
  </div>
  ${problem && html`<p class="field-note is-bad" aria-hidden="true">${problem}</p>`}`;
}
