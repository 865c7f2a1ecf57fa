// The whole: sign in, or the shell around the screen that the address names.
import { Shell } from "./components/shell/shell.js";
import { OtherSession } from "./components/shell/other_session.js";
import { Failed } from "./components/states.js";
import { startLive, stopLive } from "./live.js";
import { match, place, tenant } from "./router.js";
import { SCREENS } from "./screens/index.js";
import { NotFound } from "./screens/not_found.js";
import { SignIn } from "./screens/sign_in.js";
import { may, readSession, session, sessionError } from "./session.js";
import { html, useEffect, useRef } from "./ui.js";

export function App() {
  if (sessionError.value) {
    return html`<main class="centered"><${Failed} what="The dashboard" error=${sessionError.value}
      again=${readSession} /></main>`;
  }
  if (session.value === undefined) return null;
  return session.value === null ? html`<${SignIn} />` : html`<${SignedIn} />`;
}

function SignedIn() {
  const chosen = tenant.value;
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) readSession();
    first.current = false;
    startLive();
    return stopLive;
  }, [chosen]);

  const { path } = place.value;
  const found = findScreen(path);
  const screen = found && may(found.entry.needs) ? found : null;
  const title = screen?.entry.name ?? "Not found";
  useEffect(() => {
    document.title = `${title} · Headrace`;
  }, [title]);
  // Another tenant's view is another view.
  return html`<${Shell} current=${screen?.entry.under ?? screen?.entry.path ?? path} key=${chosen ?? ""}>
    <${OtherSession} />
    ${screen ? html`<${screen.entry.screen} key=${path} params=${screen.params} />` : html`<${NotFound} />`}
  </${Shell}>`;
}

/** @param {string} path */
function findScreen(path) {
  for (const entry of SCREENS) {
    const params = match(entry.path, path);
    if (params) return { entry, params };
  }
  return null;
}
