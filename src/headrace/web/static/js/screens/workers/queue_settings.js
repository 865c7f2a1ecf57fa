import { api } from "../../api.js";
import { TextField } from "../../components/forms/field.js";
import { FormDialog } from "../../components/forms/form_dialog.js";
import { say } from "../../components/shell/toast.js";
import { count, span } from "../../lib/format.js";
import { html, ticked, useState } from "../../ui.js";

const AGEING = 3600;

/** @param {Api.QueueSettingsAnswer} settings */
export function settingsWords({ max_running, fair, ageing_seconds }) {
  const words = [
    max_running && `${count(max_running)} at once`,
    fair && "fair",
    ageing_seconds !== AGEING && (ageing_seconds ? `ages in ${span(ageing_seconds)}` : "never ages"),
  ].filter(Boolean);
  return words.join(", ") || "no limit";
}

/** How its jobs are served, from now on and in every worker. @param {{queue: Api.QueueAnswer, close: () => void, put: (queue: Api.QueueAnswer) => void}} props */
export function QueueSettings({ queue, close, put }) {
  const [most, setMost] = useState(String(queue.settings.max_running ?? ""));
  const [fair, setFair] = useState(queue.settings.fair);
  const [ageing, setAgeing] = useState(String(queue.settings.ageing_seconds));
  const send = async () => {
    const body = { max_running: most.trim() ? Number(most) : null, fair, ageing_seconds: Number(ageing) };
    put(await api.patch("/admin/queues/{queue}", { queue: queue.queue }, body));
    say(`Queue ${queue.queue} has its new settings.`);
  };
  return html`<${FormDialog} title=${`Settings of queue ${queue.queue}`} does="Save" close=${close} send=${send}>
    ${(/** @type {Record<string, string>} */ problems) => html`
      <${TextField} label="Jobs at once, over all workers" hint="Empty is no limit." problem=${problems.max_running}
        value=${most} set=${setMost} numeric />
      <${TextField} label="Seconds after which a job is served like the most urgent" hint="0 is never."
        problem=${problems.ageing_seconds} value=${ageing} set=${setAgeing} numeric />
      <label class="field field-check"><input type="checkbox" checked=${fair}
        onChange=${ticked(setFair)} /><span>Tenants take turns, by their
        weights</span></label>`}
  </${FormDialog}>`;
}
