// What a reader has chosen, for this browser.
import { ownZone } from "./lib/in_zone.js";
import { recall, remember } from "./lib/storage.js";
import { effect, signal } from "./ui.js";

/** @type {import("@preact/signals").Signal<"auto" | "light" | "dark">} */
export const theme = signal("auto");
/** @type {import("@preact/signals").Signal<import("./lib/format.js").Zone>} */
export const zone = signal(recall("zone", /** @type {import("./lib/format.js").Zone} */ ("local")));
/** The zone by its name. */
export const zoneName = () => (zone.value === "UTC" ? "UTC" : ownZone());

// The theme is kept as plain text: static/theme.js reads it before anything else is there.
try {
  const kept = localStorage.getItem("headrace.theme");
  if (kept === "light" || kept === "dark") theme.value = kept;
} catch {
  // Storage is switched off.
}

effect(() => {
  const root = document.documentElement;
  if (theme.value === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme.value;
  try {
    if (theme.value === "auto") localStorage.removeItem("headrace.theme");
    else localStorage.setItem("headrace.theme", theme.value);
  } catch {
    // Storage is switched off.
  }
});
effect(() => remember("zone", zone.value));
