// Keys: those of the whole application, and those that a screen adds while it is there.
import { useLayoutEffect, useRef } from "./ui.js";

/** @typedef {{keys: string, says: string, does: () => void, quiet?: boolean}} Binding keys: one, or two in turn as in "g j" */

/** The newest first, so that a screen may have a key for itself. @type {Set<{current: Binding[]}>} */
const groups = new Set();
// A second key comes within this, or is another's first.
const PATIENCE = 1200;
let pending = "";
/** @type {ReturnType<typeof setTimeout> | undefined} */
let forget;

/** Have keys for as long as the component is there. @param {Binding[]} bindings */
export function useKeys(bindings) {
  const group = useRef(bindings);
  group.current = bindings;
  // With what is drawn, and not a moment after it: a key may come as soon as its button is seen.
  useLayoutEffect(() => {
    groups.add(group);
    return () => {
      groups.delete(group);
    };
  }, []);
}

/** All that hold now, for the list of them. @returns {Binding[]} */
export function bindingsNow() {
  const found = new Map();
  for (const group of groups) for (const binding of group.current) found.set(binding.keys, binding);
  return [...found.values()].filter((binding) => !binding.quiet);
}

/** @param {KeyboardEvent} event */
function press(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
  // A dialog has its own keys, which the browser sees to.
  if (document.querySelector("dialog[open]")) return;
  const keys = pending ? `${pending} ${event.key}` : event.key;
  const found = find(keys) ?? (pending ? find(event.key) : undefined);
  pending = "";
  clearTimeout(forget);
  if (found) {
    event.preventDefault();
    found.does();
  } else if (begins(event.key)) {
    pending = event.key;
    forget = setTimeout(() => (pending = ""), PATIENCE);
  }
}

/** @param {string} keys */
function find(keys) {
  for (const group of [...groups].reverse()) {
    const found = group.current.find((binding) => binding.keys === keys);
    if (found) return found;
  }
  return undefined;
}

/** @param {string} key */
const begins = (key) => [...groups].some((group) => group.current.some((b) => b.keys.startsWith(`${key} `)));

/** @param {EventTarget | null} target */
function isWriting(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

export const startKeyboard = () => document.addEventListener("keydown", press);
