// What every component is made with, in one import.
import htm from "htm";
import { h } from "preact";

export { Fragment, render } from "preact";
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
export { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";

/** Markup whose values become text and attributes, never markup. */
export const html = htm.bind(h);

/** For `onInput`: hands over what now stands in a field. @param {(text: string) => void} set */
export const typed = (set) => (/** @type {Event} */ event) =>
  set(/** @type {HTMLInputElement} */ (event.target).value);
/** For `onChange`: hands over whether a box is now ticked. @param {(on: boolean) => void} set */
export const ticked = (set) => (/** @type {Event} */ event) =>
  set(/** @type {HTMLInputElement} */ (event.target).checked);
/** For `onToggle`: hands over whether details are now open. @param {(open: boolean) => void} set */
export const toggled = (set) => (/** @type {Event} */ event) =>
  set(/** @type {HTMLDetailsElement} */ (event.target).open);
