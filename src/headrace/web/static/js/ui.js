// What every component is made with, in one import.
import htm from "htm";
import { h } from "preact";

export { Fragment, render } from "preact";
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
export { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";

/** Markup whose values become text and attributes, never markup. */
export const html = htm.bind(h);
