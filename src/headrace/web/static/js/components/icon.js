// Icons, drawn on 16 by 16 in one stroke. They are hidden from screen readers: alone they stand in a labelled button.
import { html } from "../ui.js";

/** Paths; a leading "." names a class of the shape. @type {Record<string, string[]>} */
const PATHS = {
  admin: ["M8 1.5 13.5 4v4c0 3.2-2.2 5.4-5.5 6.5C4.7 13.4 2.5 11.2 2.5 8V4z"],
  alerts: ["M4 11V7.3a4 4 0 0 1 8 0V11l1.4 1.6H2.6z", "M6.7 14.4h2.6"],
  bookmark: ["M4 2.5h8v11L8 10.5 4 13.5z"],
  canceled: ["M2.25 8a5.75 5.75 0 1 0 11.5 0 5.75 5.75 0 1 0-11.5 0", "m4.1 11.9 7.8-7.8"],
  check: ["m3.5 8.5 3 3 6-7"],
  close: ["m4 4 8 8M12 4l-8 8"],
  columns: [
    "M3.5 3h9A1.5 1.5 0 0 1 14 4.5v7a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 11.5v-7A1.5 1.5 0 0 1 3.5 3z",
    "M6 3v10M10 3v10",
  ],
  copy: [
    "M7 5.5h5A1.5 1.5 0 0 1 13.5 7v5a1.5 1.5 0 0 1-1.5 1.5H7A1.5 1.5 0 0 1 5.5 12V7A1.5 1.5 0 0 1 7 5.5z",
    "M3.5 10.5h-1v-8h8v1",
  ],
  dead_letter: [
    ".solid M3.75 1.75h8.5a2 2 0 0 1 2 2v8.5a2 2 0 0 1-2 2h-8.5a2 2 0 0 1-2-2v-8.5a2 2 0 0 1 2-2z",
    ".knock m5.3 5.3 5.4 5.4M10.7 5.3l-5.4 5.4",
  ],
  deadletter: ["M2 9.5 4 3h8l2 6.5V13H2z", "M2 9.5h3.5l1 1.5h3l1-1.5H14"],
  definitions: ["M5.5 3.5 2 8l3.5 4.5M10.5 3.5 14 8l-3.5 4.5"],
  down: ["m4.5 6.5 3.5 3.5 3.5-3.5"],
  download: ["M8 2.5v7.5M4.8 7 8 10.2 11.2 7M2.5 13.5h11"],
  edit: ["M10.5 3 13 5.5 6 12.5l-3 .5.5-3z"],
  errors: ["M8 1.8 14.2 8 8 14.2 1.8 8z", "M8 5.2v3.2M8 10.6v.1"],
  failed: [".solid M8 .9 15.1 8 8 15.1.9 8z", ".knock m6.1 6.1 3.8 3.8M9.9 6.1 6.1 9.9"],
  jobs: ["M5.5 4H14M5.5 8H14M5.5 12H14M2 4h.5M2 8h.5M2 12h.5"],
  key: ["M10.5 8.5a3 3 0 1 0-3-3l-5 5v3h3v-2h2z"],
  leave: ["M6.5 2.5h-3v11h3M7 8h7M11 5l3 3-3 3"],
  left: ["M9.5 4.5 6 8l3.5 3.5"],
  lock: ["M4.5 7h7a1 1 0 0 1 1 1v4.5a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1z", "M5.5 7V5a2.5 2.5 0 0 1 5 0v2"],
  logs: ["m2.5 4 3 3-3 3M7.5 12h6"],
  more: [".thick M3.5 8h.1M8 8h.1M12.5 8h.1"],
  overview: ["M2 11.5 5.5 7l3 3L14 3.5", "M2 14h12"],
  pause: ["M5.5 3.5v9M10.5 3.5v9"],
  play: ["M5 3.5v9l7-4.5z"],
  plus: ["M8 3v10M3 8h10"],
  queued: [".dashed M2.25 8a5.75 5.75 0 1 0 11.5 0 5.75 5.75 0 1 0-11.5 0"],
  retry: ["M13 8a5 5 0 1 1-1.5-3.5L13 6", "M13 2.5V6H9.5"],
  right: ["m6.5 4.5 3.5 3.5-3.5 3.5"],
  running: ["M2.25 8a5.75 5.75 0 1 0 11.5 0 5.75 5.75 0 1 0-11.5 0", ".solid M8 2.25a5.75 5.75 0 0 1 0 11.5z"],
  scheduled: ["M2.25 8a5.75 5.75 0 1 0 11.5 0 5.75 5.75 0 1 0-11.5 0", "M8 4.8V8l2.2 1.5"],
  search: ["M2.5 7a4.5 4.5 0 1 0 9 0 4.5 4.5 0 1 0-9 0", "m10.5 10.5 3 3"],
  stop: ["M5 3.5h6A1.5 1.5 0 0 1 12.5 5v6a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 11V5A1.5 1.5 0 0 1 5 3.5z"],
  succeeded: ["M2.25 8a5.75 5.75 0 1 0 11.5 0 5.75 5.75 0 1 0-11.5 0", "m5.5 8.2 1.8 1.7 3.3-3.7"],
  trash: ["M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9"],
  triggers: ["M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z"],
  warning: ["M8 2.2 14.5 13.5h-13z", "M8 6.5v3.2M8 11.6v.1"],
  workers: [
    "M2.5 8a5.5 5.5 0 1 0 11 0 5.5 5.5 0 1 0-11 0",
    "M6.5 8a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0",
    "M8 2.5v4M8 9.5v4M2.5 8h4M9.5 8h4",
  ],
};

/** @param {{name: string, class?: string, small?: boolean}} props */
export function Icon({ name, class: extra = "", small = false }) {
  return html`<svg class="icon ${small ? "icon-small" : ""} ${extra}" viewBox="0 0 16 16" aria-hidden="true">
    ${(PATHS[name] ?? []).map((path) => {
      const [, kind, d] = /** @type {RegExpMatchArray} */ (path.match(/^(?:\.(\w+) )?(.*)$/));
      return html`<path class=${kind === "dashed" ? undefined : kind} d=${d}
        stroke-dasharray=${kind === "dashed" ? "2.6 2" : undefined} />`;
    })}
  </svg>`;
}
