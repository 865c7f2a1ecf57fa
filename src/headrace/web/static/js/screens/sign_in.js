// A token, or the link that `headrace dev` and `headrace sign-in` print.
import { Refused } from "../api.js";
import { Wordmark } from "../components/shell/shell.js";
import { sentence } from "../lib/format.js";
import { linkProblem, signIn } from "../session.js";
import { html, typed, useEffect, useRef, useState } from "../ui.js";

export function SignIn() {
  const [token, setToken] = useState("");
  const [wrong, setWrong] = useState("");
  const [busy, setBusy] = useState(false);
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => {
    document.title = "Sign in · Headrace";
    field.current?.focus();
  }, []);

  const problem = wrong || (linkProblem.value ? sentence(linkProblem.value.message) : "");

  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!token.trim()) return setWrong("Paste a token first.");
    setBusy(true);
    try {
      await signIn(token);
    } catch (error) {
      const refusal = error instanceof Refused ? error.fields.token : undefined;
      setWrong(sentence(refusal ?? /** @type {Error} */ (error).message));
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
            setWrong("");
            linkProblem.value = null;
          })}
          aria-invalid=${problem ? "true" : undefined} aria-describedby="token-note" />
        <p class="field-note ${problem ? "is-bad" : ""}" id="token-note" role=${problem ? "alert" : undefined}>
          ${problem || html`Begins with <code>hr_</code>. It is exchanged for a session and not kept in this browser.`}
        </p>
      </div>
      <button class="button button-primary button-large" type="submit" disabled=${busy}
        aria-busy=${busy}>Sign in</button>
      <p class="quiet">No token yet? On the server, run <code>headrace sign-in</code> for a link, or${" "}
        <code>headrace tokens create me --role super_admin</code>.</p>
    </form>
  </main>`;
}
