// A token, or the link that `headrace dev` prints.
import { Refused } from "../api.js";
import { Wordmark } from "../components/shell/shell.js";
import { signIn } from "../session.js";
import { html, typed, useEffect, useRef, useState } from "../ui.js";

export function SignIn() {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => {
    document.title = "Sign in · Headrace";
    field.current?.focus();
  }, []);

  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!token.trim()) return setProblem("Paste a token first.");
    setBusy(true);
    try {
      await signIn(token);
    } catch (error) {
      const refusal = error instanceof Refused ? error.fields.token : undefined;
      setProblem(sentence(refusal ?? /** @type {Error} */ (error).message));
      setBusy(false);
      field.current?.focus();
    }
  };

  return html`<main class="centered" id="main">
    <form class="sign-in" onSubmit=${submit} noValidate>
      <${Wordmark} large />
      <h1 class="visually-hidden">Sign in</h1>
      <div class="field">
        <label for="token">Token</label>
        <input class="input input-large mono" id="token" name="token" type="password" autocomplete="current-password"
          spellcheck=${false}
          ref=${field} value=${token} onInput=${typed((text) => {
            setToken(text);
            setProblem("");
          })}
          aria-invalid=${problem ? "true" : undefined} aria-describedby="token-note" />
        <p class="field-note ${problem ? "is-bad" : ""}" id="token-note" role=${problem ? "alert" : undefined}>
          ${problem || html`Begins with <code>hr_</code>. It is exchanged for a session and not kept in this browser.`}
        </p>
      </div>
      <button class="button button-primary button-large" type="submit" disabled=${busy}
        aria-busy=${busy}>Sign in</button>
      <p class="quiet">No token yet? On the server, run <code>headrace tokens create me --role super_admin</code>.</p>
    </form>
  </main>`;
}

/** @param {string} text */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
