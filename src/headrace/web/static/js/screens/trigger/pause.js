import { PauseDialog } from "../../components/forms/pause_dialog.js";
import { html } from "../../ui.js";
import { turn } from "../triggers/change.js";

/** Turned off, with the reason for others. @param {{trigger: Api.TriggerAnswer, show: (trigger: Api.TriggerAnswer) => void, close: () => void}} props */
export function PauseTrigger({ trigger, show, close }) {
  return html`<${PauseDialog} what=${`trigger ${trigger.name}`} ends=${false} close=${close}
    says="It fires no more until somebody turns it on again; what is due meanwhile does not fire. Jobs that it has enqueued are left alone."
    pause=${(/** @type {{note: string}} */ { note }) => turn(trigger, false, show, note)} />`;
}
