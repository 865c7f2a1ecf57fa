// Who is signed in, and what they may do.
import { Refused, api, onUnknown } from "./api.js";
import { ROOT, place } from "./router.js";
import { signal } from "./ui.js";

/** Not known yet is undefined; nobody is null. @type {import("@preact/signals").Signal<Api.SessionAnswer | null | undefined>} */
export const session = signal(undefined);
/** Why the session could not be read. @type {import("@preact/signals").Signal<Error | null>} */
export const sessionError = signal(null);

/** Whether the reader may use an action: what may not be done is not offered. @param {string} action */
export const may = (action) => session.value?.may.includes(action) ?? false;

/** @typedef {{token: string} | {code: string}} Credential what a link has */

/** A link that would end the session of someone else: it waits until the reader agrees. @type {import("@preact/signals").Signal<{given: Credential, says: string} | null>} */
export const otherSession = signal(null);
/** Why the link in the address opened nothing. @type {import("@preact/signals").Signal<Error | null>} */
export const linkProblem = signal(null);

/** Follow the link in the address if it is one that signs in; and find out who this is. */
export async function startSession() {
  onUnknown.call = () => {
    if (session.peek()) session.value = null;
  };
  addEventListener("hashchange", followLink);
  if (!(await followLink())) await readSession();
}

/** Whether the address had something to sign in with, which leaves it at once. */
async function followLink() {
  const words = new URLSearchParams(location.hash.slice(1));
  const [code, token] = [words.get("code"), words.get("token")];
  if (code === null && token === null) return false;
  history.replaceState(null, "", location.pathname + location.search);
  /** @type {Credential} */
  const given = code === null ? { token: token ?? "" } : { code };
  linkProblem.value = null;
  try {
    await api.post("/session", {}, given);
  } catch (error) {
    if (error instanceof Refused && error.code === "signed_in_already") otherSession.value = { given, says: error.message };
    else linkProblem.value = /** @type {Error} */ (error);
  }
  await readSession();
  return true;
}

/** The reader agreed to be who the link is for. The page is loaded anew, for all on it belongs to the session before. */
export async function followAgreed() {
  const link = otherSession.peek();
  if (!link) return;
  await api.post("/session", {}, { ...link.given, replace: true });
  location.assign(`${ROOT}/`);
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
