// One clock for all that counts: it ticks each second, and goes as the server's does.
import { signal } from "./ui.js";

/** The server's time less ours, in milliseconds. */
let ahead = 0;

/** The time on the server, in milliseconds; a change of it is a tick. */
export const now = signal(Date.now());

/** @param {string | null} date the header of an answer, to the second */
export function setByServer(date) {
  const said = date === null ? NaN : Date.parse(date);
  if (Number.isNaN(said)) return;
  const found = said + 500 - Date.now();
  // A header has whole seconds: less than that tells nothing.
  if (Math.abs(found - ahead) > 2000) ahead = found;
}

/** Without waiting for the next tick. */
export const serverNow = () => Date.now() + ahead;

setInterval(() => {
  if (!document.hidden) now.value = serverNow();
}, 1000);
document.addEventListener("visibilitychange", () => {
  now.value = serverNow();
});
