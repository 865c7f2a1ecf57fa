import { PauseDialog } from "../../components/forms/pause_dialog.js";
import { html } from "../../ui.js";
import { turn } from "../triggers/change.js";

/** Turned off, with the reason for others. @param {{trigger: Api.TriggerAnswer, show: (trigger: Api.TriggerAnswer) => void, close: () => void}} props */
export function PauseTrigger({ trigger, show, close }) {
  return html`<${PauseDialog} what=${`trigger ${trigger.name}`} ends=${false} close=${close}
    says="The trigger fires no more until somebody turns it on; due times in between do not fire. Jobs already enqueued still run."
    pause=${(/** @type {{note: string}} */ { note }) => turn(trigger, false, show, note)} />`;
}
