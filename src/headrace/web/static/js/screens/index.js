// Every screen, one line each, in the order of the menu. An entry without an icon has no place there; `under` says where
// its reader is then.
import { Admin } from "./admin.js";
import { Alerts } from "./alerts.js";
import { DeadLetter } from "./dead_letter.js";
import { DefinitionPage } from "./definition.js";
import { Definitions } from "./definitions.js";
import { Errors } from "./errors.js";
import { Job } from "./job.js";
import { Jobs } from "./jobs.js";
import { Logs } from "./logs.js";
import { Overview } from "./overview.js";
import { TriggerPage } from "./trigger.js";
import { Triggers } from "./triggers.js";
import { Workers } from "./workers.js";

/**
 * @typedef {object} Entry
 * @property {string} path a pattern, as in `/jobs/:id`
 * @property {string} name
 * @property {string} needs the action without which it is not offered
 * @property {(props: {params: Record<string, string>}) => Children} screen
 * @property {string} [icon]
 * @property {string} [key] behind `g`
 * @property {boolean} [apart] begins another group
 * @property {string} [under]
 */

/** @type {Entry[]} */
export const SCREENS = [
  { path: "/", name: "Overview", needs: "overview.read", screen: Overview, icon: "overview", key: "o" },
  { path: "/jobs", name: "Jobs", needs: "jobs.list", screen: Jobs, icon: "jobs", key: "j" },
  { path: "/jobs/:id", name: "Job", needs: "jobs.read", screen: Job, under: "/jobs" },
  { path: "/triggers", name: "Triggers", needs: "triggers.read", screen: Triggers, icon: "triggers", key: "t" },
  { path: "/triggers/:id", name: "Trigger", needs: "triggers.read", screen: TriggerPage, under: "/triggers" },
  { path: "/definitions", name: "Definitions", needs: "definitions.read", screen: Definitions, icon: "definitions", key: "d" },
  { path: "/definitions/:key", name: "Definition", needs: "definitions.read", screen: DefinitionPage, under: "/definitions" },
  { path: "/errors", name: "Errors", needs: "errors.read", screen: Errors, icon: "errors", key: "e" },
  { path: "/dead-letter", name: "Dead letter", needs: "jobs.list", screen: DeadLetter, icon: "deadletter", key: "x" },
  { path: "/logs", name: "Logs", needs: "logs.search", screen: Logs, icon: "logs", key: "l" },
  { path: "/alerts", name: "Alerts", needs: "alerts.read", screen: Alerts, icon: "alerts", key: "n" },
  { path: "/workers", name: "Workers and queues", needs: "workers.read", screen: Workers, icon: "workers", key: "w", apart: true },
  { path: "/admin", name: "Admin", needs: "tenants.read", screen: Admin, icon: "admin", key: "a" },
  { path: "/admin/:part", name: "Admin", needs: "tenants.read", screen: Admin, under: "/admin" },
];
