// What may be chosen of a trigger, in words.

/** @type {[string, string][]} */
export const CATCH_UP = [
  ["latest", "Run the latest once"],
  ["all", "Run all that were missed"],
  ["none", "Let them pass"],
];
/** @type {[string, string][]} */
export const OVERLAP = [
  ["allow", "Run beside it"],
  ["skip", "Skip this one"],
  ["queue_one", "Wait for it, one at a time"],
  ["cancel_running", "Stop it, and run this one"],
];
/** @type {[string, string][]} */
export const PRESETS = [
  ["Hourly", "0 * * * *"],
  ["Daily", "0 2 * * *"],
  ["Weekdays", "0 8 * * MON-FRI"],
  ["Weekly", "0 6 * * MON"],
  ["Monthly", "0 4 1 * *"],
];
export const CRON_FIELDS = ["minute", "hour", "day", "month", "weekday"];
