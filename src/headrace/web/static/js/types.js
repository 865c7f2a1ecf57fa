// Shapes of the API, for the type checker alone; the API's reference says what each field is.

/** @typedef {"scheduled" | "queued" | "running" | "succeeded" | "failed" | "canceled" | "dead_letter"} JobStatus */
/**
 * @typedef {object} Job
 * @property {string} id
 * @property {string} tenant
 * @property {string} definition
 * @property {string} kind
 * @property {string} queue
 * @property {JobStatus} status
 * @property {number} priority
 * @property {string} source
 * @property {string | null} source_ref
 * @property {string | null} trigger_id
 * @property {string | null} event_id
 * @property {string | null} retry_of
 * @property {string | null} replaced_by
 * @property {string | null} correlation_id
 * @property {string | null} dedupe_key
 * @property {string | null} idempotency_key
 * @property {string | null} scheduled_for
 * @property {string} created_at
 * @property {string | null} created_by
 * @property {string | null} run_at
 * @property {string | null} queued_at
 * @property {string | null} started_at
 * @property {string | null} finished_at
 * @property {number} attempt_count
 * @property {number} max_attempts
 * @property {number} run
 * @property {string | null} worker
 * @property {string | null} last_error
 * @property {boolean} cancel_requested
 * @property {number | null} progress
 * @property {string | null} progress_message
 */
/** @typedef {Job & {payload: Record<string, any>, result: any}} WholeJob */
/**
 * @typedef {object} Attempt
 * @property {number} run
 * @property {string} outcome
 * @property {JobStatus | null} final
 * @property {string | null} worker
 * @property {string | null} queued_at
 * @property {string | null} started_at
 * @property {string} finished_at
 * @property {string | null} error
 * @property {string | null} traceback
 * @property {any} result
 * @property {Record<string, any> | null} detail
 */
/** @typedef {{run: number, seq: number, at: string, level: number, stream: string, message: string, fields: any}} LogLine */
/**
 * @typedef {object} Definition
 * @property {string} key
 * @property {string} kind
 * @property {string} description
 * @property {string[]} tags
 * @property {Record<string, any>} payload_schema
 * @property {string[]} secret_fields
 * @property {string} queue
 * @property {number} priority
 * @property {number} max_attempts
 * @property {number | null} timeout_seconds
 */
/** @typedef {{definition: string, p50: number, p95: number}} Usual */
/**
 * @typedef {object} Trigger
 * @property {string} id
 * @property {string} tenant
 * @property {string} name
 * @property {string} definition
 * @property {"schedule" | "init" | "event"} trigger_type
 * @property {string | null} cron
 * @property {number | null} every_seconds
 * @property {string} timezone
 * @property {string | null} starts_at
 * @property {string | null} ends_at
 * @property {number | null} max_fires
 * @property {string} init_version
 * @property {string | null} event
 * @property {Record<string, any>} payload
 * @property {string | null} condition
 * @property {string | null} queue
 * @property {number | null} priority
 * @property {number | null} max_attempts
 * @property {string} catch_up
 * @property {number} catch_up_cap
 * @property {number} misfire_grace_seconds
 * @property {string} overlap
 * @property {number} jitter_seconds
 * @property {number | null} dedupe_window_seconds
 * @property {number | null} pause_on_failures
 * @property {boolean} enabled
 * @property {string | null} pause_note
 * @property {string | null} app
 * @property {Record<string, {declared: any, current: any}>} overrides
 * @property {string | null} next_run_at
 * @property {string | null} pending_due_at
 * @property {string | null} last_run_at
 * @property {string | null} last_error
 * @property {number} fires
 * @property {number} runs
 * @property {string} created_at
 * @property {string | null} created_by
 * @property {string | null} obstacle
 */
/** @typedef {{at: string, status: string | null, reason: string | null, job_id: string | null, seconds: number | null}} Run */
/** @typedef {{due_at: string, note: string | null}} DueTime */
/** @typedef {{trigger: Trigger, words: string | null, clock_change: DueTime | null, runs: Run[]}} Glance */

export {};
