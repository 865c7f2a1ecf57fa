import { App } from "./app.js";
import { startKeyboard } from "./keyboard.js";
import { startRouter } from "./router.js";
import { startSession } from "./session.js";
import { html, render } from "./ui.js";

startRouter();
startKeyboard();
render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById("app")));
startSession();
