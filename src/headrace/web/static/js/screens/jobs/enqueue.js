// A new job, with a form made from its definition's schema; or a copy of one, with another payload.
import { Refused, api } from "../../api.js";
import { Dialog } from "../../components/forms/dialog.js";
import { Field, Select } from "../../components/forms/field.js";
import { SchemaForm } from "../../components/forms/schema_form.js";
import { Segmented } from "../../components/forms/segmented.js";
import { loaded } from "../../components/states.js";
import { say } from "../../components/shell/toast.js";
import { NO_DURATION, readDuration } from "../../lib/durations.js";
import { shortId } from "../../lib/format.js";
import { covers, fieldsOf, initialValues, readValues, withoutMasks } from "../../lib/schema.js";
import { useResource } from "../../resource.js";
import { href } from "../../router.js";
import { html, typed, useState } from "../../ui.js";

/**
 * @param {object} props
 * @param {() => void} props.close
 * @param {string} [props.definition] chosen at first
 * @param {Api.Job} [props.copyOf] then its payload is there, and it may be changed
 * @param {boolean} [props.retry] refer to the old one, and keep what is masked
 */
export function EnqueueDialog({ close, definition, copyOf, retry = false }) {
  const definitions = useResource("to enqueue", (signal) => api.get("/definitions", { limit: 500 }, signal));
  return html`${loaded(definitions, { what: "What may be run" }, (data) =>
    html`<${Form} definitions=${data.items} first=${copyOf?.definition ?? definition} copyOf=${copyOf}
      retry=${retry} close=${close} />`)}`;
}

/** @param {{definitions: Api.DefinitionAnswer[], first?: string, copyOf?: Api.Job, retry: boolean, close: () => void}} props */
function Form({ definitions, first, copyOf, retry, close }) {
  const [key, setKey] = useState(
    definitions.some((one) => one.key === first) ? /** @type {string} */ (first) : (definitions[0]?.key ?? ""),
  );
  const chosen = definitions.find((one) => one.key === key);
  const fields = chosen ? fieldsOf(chosen.payload_schema, chosen.secret_fields) : [];
  // A retry keeps what is masked; for a job of its own the secret is to be written.
  const given = copyOf && (retry ? copyOf.payload : withoutMasks(copyOf.payload));
  const [values, setValues] = useState(() => initialValues(fields, given));
  const [mode, setMode] = useState(covers(fields, given ?? {}) ? "form" : "json");
  const [text, setText] = useState(() => JSON.stringify(given ?? {}, null, 2));
  const [delay, setDelay] = useState("");
  const [problems, setProblems] = useState(/** @type {Record<string, string>} */ ({}));
  const [busy, setBusy] = useState(false);

  const choose = (/** @type {string} */ next) => {
    const other = definitions.find((one) => one.key === next);
    setKey(next);
    setProblems({});
    setText("{}");
    setValues(other ? initialValues(fieldsOf(other.payload_schema, other.secret_fields)) : {});
  };
  const turn = (/** @type {string} */ next) => {
    if (next === "json") setText(JSON.stringify(readValues(fields, values).payload, null, 2));
    else {
      try {
        const written = JSON.parse(text);
        if (!covers(fields, written)) return setProblems({ payload: "The form has no field for some of this." });
        setValues(initialValues(fields, written));
      } catch (error) {
        return setProblems({ payload: `This is not JSON: ${/** @type {Error} */ (error).message}` });
      }
    }
    setProblems({});
    setMode(next);
  };
  const submit = async () => {
    const read = mode === "json" ? readText(text) : readValues(fields, values);
    const seconds = readDuration(delay);
    const wrong = {
      ...read.problems,
      ...(seconds === null ? { delay_seconds: NO_DURATION } : {}),
    };
    setProblems(wrong);
    if (Object.keys(wrong).length) return;
    setBusy(true);
    try {
      const { payload } = read;
      const made =
        retry && copyOf
          ? await api.post("/jobs/{job_id}/retry", { job_id: copyOf.id }, { payload })
          : await api.post("/jobs", {}, { definition: key, payload, delay_seconds: seconds || undefined });
      say(`Enqueued ${key} ${shortId(made.id)}.`, { href: href(`/jobs/${made.id}`), go: "Open" });
      close();
    } catch (error) {
      setBusy(false);
      setProblems(error instanceof Refused ? fieldProblems(error) : { "": /** @type {Error} */ (error).message });
    }
  };

  const title = retry ? "Retry with another payload" : copyOf ? "Enqueue a copy" : "Enqueue job";
  const stray = Object.entries(problems)
    .filter(([at]) => at === "" || at === "payload")
    .map(([, message]) => message)[0];
  return html`<${Dialog} title=${title} close=${close} onSubmit=${submit} foot=${html`
      ${stray && html`<p class="field-note is-bad" role="alert">${stray}</p>`}
      <button class="button" type="button" onClick=${close}>Not now</button>
      <button class="button button-primary" type="submit" disabled=${busy || !chosen}
        aria-busy=${busy}>Enqueue</button>`}>
    <div class="fields">
      <${Field} label="Definition" hint=${chosen?.description || undefined} problem=${problems.definition}>${(
        /** @type {Attributes} */ attributes,
      ) =>
        html`<${Select} attributes=${{ ...attributes, disabled: retry }} value=${key} choose=${choose}
          options=${definitions.map((one) => [one.key, one.key])} />`}</${Field}>
      <div class="fields-head"><h3>Payload</h3><${Segmented} label="Payload as" options=${[
        ["form", "Form"],
        ["json", "JSON"],
      ]} value=${mode} choose=${turn} /></div>
      ${
        mode === "json"
          ? html`<${Field} label="JSON" problem=${problems.payload}>
            ${(/** @type {Attributes} */ attributes) => html`<textarea ...${attributes} rows="10" spellcheck=${false}
            value=${text} onInput=${typed(setText)} />`}</${Field}>`
          : html`<${SchemaForm} fields=${fields} values=${values} change=${setValues} problems=${problems} />`
      }
      ${
        !retry &&
        html`<${Field} label="Not before" hint="The delay, for example 30s or 5m; at once when empty."
          problem=${problems.delay_seconds}>${(
          /** @type {Attributes} */ attributes,
        ) =>
          html`<input ...${attributes} value=${delay}
            onInput=${typed(setDelay)} autocomplete="off" />`}</${Field}>`
      }
    </div>
  </${Dialog}>`;
}

/** @param {string} text @returns {{payload: Record<string, unknown>, problems: Record<string, string>}} */
function readText(text) {
  try {
    return { payload: JSON.parse(text), problems: {} };
  } catch (error) {
    return { payload: {}, problems: { payload: `This is not JSON: ${/** @type {Error} */ (error).message}` } };
  }
}

/** By field, without the payload's name before it; what belongs to none stands under "". @param {Refused} error */
function fieldProblems(error) {
  const problems = Object.entries(error.fields).map(([at, message]) => [at.replace(/^payload\./, ""), message]);
  return problems.length ? Object.fromEntries(problems) : { "": error.message };
}
