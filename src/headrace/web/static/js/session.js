// Who is signed in, and what they may do.
import { Refused, api, onUnknown } from "./api.js";
import { place } from "./router.js";
import { signal } from "./ui.js";

/** Not known yet is undefined; nobody is null. @type {import("@preact/signals").Signal<Api.SessionAnswer | null | undefined>} */
export const session = signal(undefined);
/** Why the session could not be read. @type {import("@preact/signals").Signal<Error | null>} */
export const sessionError = signal(null);

/** Whether the reader may use an action: what may not be done is not offered. @param {string} action */
export const may = (action) => session.value?.may.includes(action) ?? false;

/** Sign in with the token in the address if there is one, which then leaves it; and find out who this is. */
export async function startSession() {
  onUnknown.call = () => {
    if (session.peek()) session.value = null;
  };
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given !== null) {
    history.replaceState(null, "", location.pathname + location.search);
    await api.post("/session", {}, { token: given }).catch(() => {});
  }
  await readSession();
}

export async function readSession() {
  sessionError.value = null;
  try {
    session.value = await api.get("/session");
  } catch (error) {
    if (error instanceof Refused && error.status === 401) session.value = null;
    else sessionError.value = /** @type {Error} */ (error);
  }
}

/** @param {string} token */
export async function signIn(token) {
  await api.post("/session", {}, { token: token.trim() });
  await readSession();
}

export async function signOut() {
  await api.delete("/session");
  session.value = null;
  history.replaceState(null, "", location.pathname);
  place.value = { ...place.peek(), query: new URLSearchParams() };
}
