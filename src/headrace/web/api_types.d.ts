// What the API takes and answers, for the type checker alone. `make docs` writes it from the OpenAPI document.

declare namespace Api {
  interface AlertAnswer {
    id: string;
    rule_id: string;
    rule: string;
    kind: "job_died" | "failures_in_a_row" | "failure_rate" | "oldest_queued" | "no_worker" | "missed_fire" | "trigger_disabled" | "running_long";
    tenant: string | null;
    subject: string;
    what: string;
    since: string;
    last_seen: string;
    count: number;
    measure: number | null;
    job_id: string | null;
    error: string | null;
    notices: number;
    told_at: string | null;
    escalated_at: string | null;
    acknowledged_at: string | null;
    acknowledged_by: string | null;
    closed_at: string | null;
    closed_by: string | null;
  }

  interface AlertDeliveryAnswer {
    id: number;
    notice_id: string;
    tenant: string | null;
    event: "firing" | "repeated" | "escalated" | "recovered" | "test";
    rule_id: string | null;
    rule: string | null;
    target_id: string;
    target: string;
    at: string;
    seconds: number;
    status_code: number | null;
    error: string | null;
  }

  interface AlertKindAnswer {
    name: "job_died" | "failures_in_a_row" | "failure_rate" | "oldest_queued" | "no_worker" | "missed_fire" | "trigger_disabled" | "running_long";
    label: string;
    about: string;
    recover_after_seconds: number;
    parameters: SettingAnswer[];
  }

  interface AlertRuleSettingsAnswer {
    items: SettingAnswer[];
    kinds: AlertKindAnswer[];
  }

  interface Alive {
    status?: string;
  }

  interface AttemptAnswer {
    run: number;
    outcome: string;
    final: JobStatus | null;
    worker: string | null;
    queued_at: string | null;
    started_at: string | null;
    finished_at: string;
    error: string | null;
    traceback: string | null;
    result: unknown;
    detail: Record<string, unknown> | null;
  }

  interface AttemptsAnswer {
    items: AttemptAnswer[];
    next_cursor?: string | null;
  }

  interface AuditAnswer {
    id: number;
    at: string;
    who: string;
    role: string;
    action: string;
    tenant: string | null;
    target: string | null;
    detail: Record<string, unknown>;
  }

  interface Backfill {
    from: string;
    until: string;
    overlap?: "allow" | "skip";
    cap?: number;
  }

  interface BackfillAnswer {
    occasion: string;
    job_ids: string[];
    skipped: number;
  }

  interface BackfillPreview {
    due: number;
    first: string | null;
    last: string | null;
    too_many: boolean;
  }

  interface Batch {
    jobs: JobRequest[];
  }

  interface BatchAnswer {
    jobs: BatchItem[];
  }

  interface BatchItem {
    id: string;
    created: boolean;
  }

  interface Beat {
    worker_id: number;
    running?: number | null;
    memory_bytes?: number | null;
    progress?: Progress[];
    tell_held?: boolean;
    stood_still_seconds?: number | null;
  }

  interface BeatAnswer {
    server_time: string;
    cancel: JobRef[];
    held: JobRef[];
    drain: boolean;
  }

  interface Bulk {
    action: "cancel" | "retry" | "delete";
    filter?: BulkFilter;
    per_second?: number | null;
    dry_run?: boolean;
  }

  interface BulkCount {
    matching: number;
    capped: boolean;
  }

  interface BulkFilter {
    definition?: string | null;
    queue?: string | null;
    source?: string | null;
    trigger?: string | null;
    event?: string | null;
    correlation_id?: string | null;
    worker?: string | null;
    q?: string | null;
    created_after?: string | null;
    created_before?: string | null;
    include_system?: boolean;
    status?: (JobStatus | string)[];
    ids?: string[];
  }

  interface BusiestAnswer {
    window: "1h" | "6h" | "24h" | "7d" | "30d";
    items: BusyAnswer[];
  }

  interface BusyAnswer {
    definition: string;
    kind: string;
    attempts: number;
    failed: number;
    duration_seconds: Spread;
    steps: number[];
  }

  interface CalendarAnswer {
    items: DueAnswer[];
    more: boolean;
  }

  interface ChartAnswer {
    window: "1h" | "6h" | "24h" | "7d" | "30d";
    step_seconds: number;
    until: string;
    items: StepAnswer[];
  }

  interface Claim {
    worker_id: number;
    limit?: number;
    wait_seconds?: number;
    suspects?: number;
    payloads?: "json" | "text";
    knows?: HeldRef[] | null;
  }

  interface ClaimAnswer {
    jobs: ClaimedAnswer[];
    definitions: Record<string, TermsAnswer>;
  }

  interface ClaimedAnswer {
    id: string;
    run: number;
    attempt: number;
    max_attempts: number;
    definition: string;
    tenant: string;
    payload: Record<string, unknown> | string;
    correlation_id: string | null;
    scheduled_for: string | null;
    source: string;
    timeout_seconds: number | null;
    suspect: boolean;
    queue: string;
    trace_context: string | null;
  }

  interface Completed {
    worker_id: number;
    run: number;
    result?: unknown;
  }

  interface CountAnswer {
    status: JobStatus;
    jobs: number;
    capped: boolean;
  }

  interface CountsAnswer {
    items: CountAnswer[];
  }

  interface DaysAnswer {
    jobs_days: number;
    dead_letters_days: number;
    logs_days: number;
    fires_days: number;
    events_days: number;
    rollups_days: number;
    tokens_days: number;
    audit_days: number;
  }

  interface DeclaredTrigger {
    name: string;
    settings?: Record<string, unknown>;
  }

  interface DefinitionAnswer {
    key: string;
    kind: "python" | "command" | "sql";
    payload_schema: Record<string, unknown>;
    secret_fields: string[];
    queue: string;
    priority: number;
    max_attempts: number;
    timeout_seconds: number | null;
    retry_base_seconds: number;
    retry_cap_seconds: number;
    retry_jitter_seconds: number;
    tenants: string[] | null;
    max_concurrency: number | null;
    concurrency_key: string | null;
    max_concurrency_per_key: number | null;
    rate_limit: number | null;
    rate_period_seconds: number;
    rate_burst: number | null;
    rate_per_key: boolean;
    retention_days: number | null;
    retention_count: number | null;
    description: string;
    tags: string[];
  }

  interface DefinitionChange {
    queue?: string;
    priority?: number;
    max_attempts?: number;
    timeout_seconds?: number | null;
    retry_base_seconds?: number;
    retry_cap_seconds?: number;
    retry_jitter_seconds?: number;
    tenants?: string[] | null;
    max_concurrency?: number | null;
    concurrency_key?: string | null;
    max_concurrency_per_key?: number | null;
    rate_limit?: number | null;
    rate_period_seconds?: number;
    rate_burst?: number | null;
    rate_per_key?: boolean;
    retention_days?: number | null;
    retention_count?: number | null;
    enabled?: boolean;
  }

  interface DefinitionDetail {
    key: string;
    kind: "python" | "command" | "sql";
    payload_schema: Record<string, unknown>;
    secret_fields: string[];
    queue: string;
    priority: number;
    max_attempts: number;
    timeout_seconds: number | null;
    retry_base_seconds: number;
    retry_cap_seconds: number;
    retry_jitter_seconds: number;
    tenants: string[] | null;
    max_concurrency: number | null;
    concurrency_key: string | null;
    max_concurrency_per_key: number | null;
    rate_limit: number | null;
    rate_period_seconds: number;
    rate_burst: number | null;
    rate_per_key: boolean;
    retention_days: number | null;
    retention_count: number | null;
    description: string;
    tags: string[];
    app: string;
    system: boolean;
    function: string | null;
    enabled: boolean;
    paused: boolean;
    pause: PauseAnswer | null;
    overrides: Record<string, Override>;
    deleted_from_code_at: string | null;
    synced_at: string;
    workers: string[];
    statistics: StatisticsAnswer;
  }

  interface DeliveredAnswer {
    trigger_id: string;
    trigger: string | null;
    outcome: "fired" | "skipped";
    reason: string | null;
    detail: string | null;
    job_id: string | null;
  }

  interface DeliveryAnswer {
    event_id: string;
    event: string;
    emitted_at: string;
    outcome: "fired" | "skipped";
    reason: string | null;
    detail: string | null;
    job_id: string | null;
  }

  interface DepthAnswer {
    scheduled: number;
    queued: number;
    running: number;
  }

  interface Disable {
    note?: string | null;
  }

  interface DueAnswer {
    trigger_id: string;
    name: string;
    definition: string;
    times: string[];
    every_seconds: number | null;
  }

  interface DueTime {
    due_at: string;
    note: string | null;
  }

  interface EmittedAnswer {
    id: string;
  }

  interface Ended {
    job_id: string;
    run: number;
    outcome?: "succeeded" | "failed" | "timed_out" | "retried" | "snoozed" | "released" | "unreadable" | "canceled";
    final?: "succeeded" | "failed" | "canceled" | "dead_letter" | null;
    delay_seconds?: number;
    error?: string | null;
    traceback?: string | null;
    result_json?: string | null;
    detail_json?: string | null;
  }

  interface ErrorKindAnswer {
    fingerprint: string;
    definitions: string[];
    attempts: number;
    jobs: number;
    retryable: string[];
    dead_letters: number;
    first_seen: string;
    last_seen: string;
    steps: number[];
    sample: SampleAnswer;
  }

  interface ErrorsAnswer {
    since: string;
    until: string;
    searched_to: string;
    items: ErrorKindAnswer[];
  }

  interface EventAnswer {
    id: string;
    tenant: string;
    name: string;
    data: Record<string, unknown>;
    correlation_id: string | null;
    emitted_at: string;
    error: string | null;
    deliveries: DeliveredAnswer[];
    more_deliveries: boolean;
  }

  interface FieldProblem {
    field: string;
    message: string;
  }

  interface FindingAnswer {
    level: "bad" | "warn";
    kind: "definition" | "unknown" | "queue" | "worker" | "trigger" | "scheduler" | "database";
    name: string;
    title: string;
    detail: string;
  }

  interface Finish {
    worker_id: number;
    ended: Ended[];
  }

  interface FinishAnswer {
    refused: JobRef[];
    left_out: LeftOut[];
  }

  interface FireAnswer {
    due_at: string;
    outcome: "fired" | "skipped";
    reason: string | null;
    detail: string | null;
    until: string | null;
    n: number | null;
    job_id: string | null;
    triggered_by: string;
    occasion: string;
    at: string;
  }

  interface FireRequest {
    overlap?: "allow" | "skip" | null;
  }

  interface HealthAnswer {
    well: boolean;
    title: string;
    lead: string;
    findings: FindingAnswer[];
    rest: string;
    first_run: boolean;
    workers: number;
    slots: number;
    busy: number;
  }

  interface HeldRef {
    job_id: string;
    run: number;
  }

  interface HitAnswer {
    run: number;
    seq: number;
    at: string;
    level: number;
    stream: "log" | "stdout" | "stderr" | "notice";
    message: string;
    fields?: unknown;
    job_id: string;
    tenant: string;
    definition: string;
  }

  interface HourAnswer {
    at: string;
    enqueued: number;
    succeeded: number;
    failed: number;
    canceled: number;
    dead_letter: number;
    runs: number;
    retried: number;
    timed_out: number;
    lost: number;
  }

  interface InspectedDefinition {
    key: string;
    kind: "python" | "command" | "sql";
    payload_schema: Record<string, unknown>;
    secret_fields: string[];
    queue: string;
    priority: number;
    max_attempts: number;
    timeout_seconds: number | null;
    retry_base_seconds: number;
    retry_cap_seconds: number;
    retry_jitter_seconds: number;
    tenants: string[] | null;
    max_concurrency: number | null;
    concurrency_key: string | null;
    max_concurrency_per_key: number | null;
    rate_limit: number | null;
    rate_period_seconds: number;
    rate_burst: number | null;
    rate_per_key: boolean;
    retention_days: number | null;
    retention_count: number | null;
    description: string;
    tags: string[];
    app: string;
    system: boolean;
    function: string | null;
    enabled: boolean;
    paused: boolean;
    pause: PauseAnswer | null;
    overrides: Record<string, Override>;
    deleted_from_code_at: string | null;
    synced_at: string;
    workers: string[];
  }

  interface Job {
    id: string;
    tenant: string;
    definition: string;
    kind: string;
    queue: string;
    status: JobStatus;
    priority: number;
    source: string;
    source_ref: string | null;
    trigger_id: string | null;
    event_id: string | null;
    retry_of: string | null;
    replaced_by: string | null;
    correlation_id: string | null;
    dedupe_key: string | null;
    idempotency_key: string | null;
    scheduled_for: string | null;
    created_at: string;
    created_by: string | null;
    run_at: string | null;
    queued_at: string | null;
    started_at: string | null;
    finished_at: string | null;
    attempt_count: number;
    max_attempts: number;
    run: number;
    worker: string | null;
    last_error: string | null;
    cancel_requested: boolean;
    progress: number | null;
    progress_message: string | null;
    payload: Record<string, unknown>;
    result: unknown;
  }

  interface JobRecord {
    id: string;
    tenant: string;
    definition: string;
    kind: string;
    queue: string;
    status: JobStatus;
    priority: number;
    source: string;
    source_ref: string | null;
    trigger_id: string | null;
    event_id: string | null;
    retry_of: string | null;
    replaced_by: string | null;
    correlation_id: string | null;
    dedupe_key: string | null;
    idempotency_key: string | null;
    scheduled_for: string | null;
    created_at: string;
    created_by: string | null;
    run_at: string | null;
    queued_at: string | null;
    started_at: string | null;
    finished_at: string | null;
    attempt_count: number;
    max_attempts: number;
    run: number;
    worker: string | null;
    last_error: string | null;
    cancel_requested: boolean;
    progress: number | null;
    progress_message: string | null;
  }

  interface JobRef {
    job_id: string;
    run: number;
  }

  interface JobRequest {
    definition: string;
    payload?: Record<string, unknown>;
    queue?: string | null;
    priority?: number | null;
    delay_seconds?: number | null;
    scheduled_for?: string | null;
    dedupe_key?: string | null;
    dedupe_while?: "live" | "waiting";
    idempotency_key?: string | null;
    correlation_id?: string | null;
    max_attempts?: number | null;
  }

  type JobStatus = "scheduled" | "queued" | "running" | "succeeded" | "failed" | "canceled" | "dead_letter";

  interface JobsAnswer {
    items: JobRecord[];
    next_cursor?: string | null;
    searched_to?: string | null;
  }

  interface LastHourAnswer {
    enqueued: number;
    succeeded: number;
    failed: number;
    retried: number;
  }

  interface LastRunAnswer {
    job_id: string;
    status: string;
    finished_at: string;
    result: unknown;
  }

  interface Leaving {
    worker_id: number;
  }

  interface LeftOut {
    job_id: string;
    run: number;
    field: string;
    reason: string;
  }

  interface LimitsAnswer {
    max_queued: number | null;
    max_payload_bytes: number | null;
    requests_per_minute: number | null;
    max_running: number | null;
    queues: string[];
    most_urgent_priority: number | null;
  }

  interface Line {
    job_id: string;
    run: number;
    seq: number;
    at: string;
    level?: number;
    stream?: "log" | "stdout" | "stderr" | "notice";
    message: string;
    fields_json?: string | null;
  }

  interface LineAnswer {
    run: number;
    seq: number;
    at: string;
    level: number;
    stream: "log" | "stdout" | "stderr" | "notice";
    message: string;
    fields?: unknown;
  }

  interface Lines {
    worker_id: number;
    lines: Line[];
  }

  interface LinesAnswer {
    items: LineAnswer[];
    next_cursor?: string | null;
    after: string;
    ended: boolean;
  }

  interface NewDeclared {
    app: string;
    complete?: boolean;
    definitions: NewDefinition[];
  }

  interface NewDefinition {
    key: string;
    kind?: "python" | "command";
    payload_schema?: Record<string, unknown>;
    triggers?: DeclaredTrigger[];
    queue?: string;
    priority?: number;
    max_attempts?: number;
    timeout_seconds?: number | null;
    retry_base_seconds?: number;
    retry_cap_seconds?: number;
    retry_jitter_seconds?: number;
    tenants?: string[] | null;
    max_concurrency?: number | null;
    concurrency_key?: string | null;
    max_concurrency_per_key?: number | null;
    rate_limit?: number | null;
    rate_period_seconds?: number;
    rate_burst?: number | null;
    rate_per_key?: boolean;
    retention_days?: number | null;
    retention_count?: number | null;
    description?: string;
    tags?: string[];
  }

  interface NewEvent {
    name: string;
    data?: Record<string, unknown>;
    correlation_id?: string | null;
    idempotency_key?: string | null;
  }

  interface NewRule {
    name: string;
    kind: "job_died" | "failures_in_a_row" | "failure_rate" | "oldest_queued" | "no_worker" | "missed_fire" | "trigger_disabled" | "running_long";
    parameters?: Record<string, unknown>;
    enabled?: boolean;
    targets?: string[];
    repeat_seconds?: number | null;
    escalate_to?: string | null;
    escalate_after?: number | null;
    group_seconds?: number;
    recover_after_seconds?: number | null;
    quiet_from?: string | null;
    quiet_until?: string | null;
    timezone?: string;
  }

  interface NewSqlDefinition {
    key: string;
    function: string;
    description?: string;
    queue?: string;
    priority?: number;
    max_attempts?: number;
    timeout_seconds?: number | null;
    retry_base_seconds?: number;
    retry_cap_seconds?: number;
    retry_jitter_seconds?: number;
    tenants?: string[] | null;
    max_concurrency?: number | null;
    concurrency_key?: string | null;
    max_concurrency_per_key?: number | null;
    rate_limit?: number | null;
    rate_period_seconds?: number;
    rate_burst?: number | null;
    rate_per_key?: boolean;
    retention_days?: number | null;
    retention_count?: number | null;
  }

  interface NewTarget {
    name: string;
    kind: "webhook" | "email" | "command";
    address: string;
    sign?: boolean;
  }

  interface NewTargetAnswer {
    id: string;
    tenant: string | null;
    name: string;
    kind: "webhook" | "email" | "command";
    address: string;
    signed: boolean;
    created_at: string;
    created_by: string;
    key: string | null;
  }

  interface NewTenant {
    name: string;
    title?: string;
    limits?: TenantLimitsRequest;
    weight?: number;
  }

  interface NewTokenAnswer {
    id: string;
    name: string;
    role: "super_admin" | "tenant_admin" | "tenant_viewer" | "worker" | "metrics";
    tenant: string | null;
    queues: string[];
    created_at: string;
    created_by: string;
    expires_at: string | null;
    last_used_at: string | null;
    revoked_at: string | null;
    expired: boolean;
    token: string;
  }

  interface NewTrigger {
    name: string;
    definition: string;
    enabled?: boolean;
    trigger_type?: "schedule" | "init" | "event";
    cron?: string | null;
    every_seconds?: number | null;
    event?: string | null;
    init_version?: string;
    condition?: string | null;
    timezone?: string;
    payload?: Record<string, unknown>;
    catch_up?: "none" | "latest" | "all";
    misfire_grace_seconds?: number;
    overlap?: "allow" | "skip" | "queue_one" | "cancel_running";
    jitter_seconds?: number;
    dedupe_window_seconds?: number | null;
    pause_on_failures?: number | null;
    starts_at?: string | null;
    ends_at?: string | null;
    max_fires?: number | null;
    queue?: string | null;
    priority?: number | null;
    max_attempts?: number | null;
    catch_up_cap?: number;
  }

  interface OperationAnswer {
    id: string;
    tenant: string | null;
    action: string;
    filter: Record<string, unknown>;
    state: "running" | "done" | "canceled" | "failed";
    expected: number;
    done: number;
    left_alone: number;
    per_second: number | null;
    error: string | null;
    created_at: string;
    created_by: string;
    updated_at: string;
    finished_at: string | null;
  }

  interface Override {
    declared: unknown;
    current: unknown;
  }

  interface OwnRetentionAnswer {
    definition: string;
    days: number | null;
    count: number | null;
  }

  interface Page_AlertAnswer_ {
    items: AlertAnswer[];
    next_cursor?: string | null;
  }

  interface Page_AlertDeliveryAnswer_ {
    items: AlertDeliveryAnswer[];
    next_cursor?: string | null;
  }

  interface Page_AuditAnswer_ {
    items: AuditAnswer[];
    next_cursor?: string | null;
  }

  interface Page_DefinitionAnswer_ {
    items: DefinitionAnswer[];
    next_cursor?: string | null;
  }

  interface Page_DeliveryAnswer_ {
    items: DeliveryAnswer[];
    next_cursor?: string | null;
  }

  interface Page_EventAnswer_ {
    items: EventAnswer[];
    next_cursor?: string | null;
  }

  interface Page_FireAnswer_ {
    items: FireAnswer[];
    next_cursor?: string | null;
  }

  interface Page_InspectedDefinition_ {
    items: InspectedDefinition[];
    next_cursor?: string | null;
  }

  interface Page_OperationAnswer_ {
    items: OperationAnswer[];
    next_cursor?: string | null;
  }

  interface Page_QueueAnswer_ {
    items: QueueAnswer[];
    next_cursor?: string | null;
  }

  interface Page_RuleAnswer_ {
    items: RuleAnswer[];
    next_cursor?: string | null;
  }

  interface Page_TargetAnswer_ {
    items: TargetAnswer[];
    next_cursor?: string | null;
  }

  interface Page_TenantAnswer_ {
    items: TenantAnswer[];
    next_cursor?: string | null;
  }

  interface Page_TokenAnswer_ {
    items: TokenAnswer[];
    next_cursor?: string | null;
  }

  interface Page_TriggerAnswer_ {
    items: TriggerAnswer[];
    next_cursor?: string | null;
  }

  interface Page_TriggerSummaryAnswer_ {
    items: TriggerSummaryAnswer[];
    next_cursor?: string | null;
  }

  interface Page_WorkerAnswer_ {
    items: WorkerAnswer[];
    next_cursor?: string | null;
  }

  interface PauseAnswer {
    paused_at: string;
    paused_by: string;
    note: string;
    resume_at: string | null;
  }

  interface PauseRequest {
    note?: string;
    resume_at?: string | null;
    resume_after_seconds?: number | null;
  }

  interface PreviewAnswer {
    words: string;
    times: DueTime[];
  }

  interface Problem {
    type?: string;
    title: string;
    status: number;
    detail: string;
    code: string;
    errors?: FieldProblem[];
  }

  interface Progress {
    job_id: string;
    fraction?: number | null;
    message?: string | null;
  }

  interface QueueAnswer {
    queue: string;
    paused: boolean;
    pause: PauseAnswer | null;
    paused_definitions: string[];
    depth: DepthAnswer;
    oldest_age_seconds: number | null;
    workers: number;
    last_hour: LastHourAnswer;
    settings: QueueSettingsAnswer;
  }

  interface QueueChange {
    max_running?: number | null;
    fair?: boolean;
    ageing_seconds?: number;
  }

  interface QueueChartAnswer {
    queue: string;
    depth: number[];
    shares: TenantRunsAnswer[];
  }

  interface QueueChartsAnswer {
    items: QueueChartAnswer[];
  }

  interface QueueSettingsAnswer {
    max_running: number | null;
    fair: boolean;
    ageing_seconds: number;
  }

  interface RanAnswer {
    fired: boolean;
    job_id: string;
    reason: string | null;
  }

  interface Ready {
    status?: string;
    workers: number;
    notifications: boolean;
  }

  interface ReasonAnswer {
    code: string;
    detail: string;
  }

  interface RefusedAnswer {
    refused: JobRef[];
  }

  interface RegistrationAnswer {
    worker_id: number;
    queues: string[];
    server_time: string;
    lease_seconds: number;
    synced: SyncedAnswer;
  }

  interface RegistrationRequest {
    name: string;
    hostname?: string;
    pid?: number;
    version?: string;
    queues?: string[];
    definitions: string[];
    concurrency?: number;
    lease_seconds?: number;
    declared?: NewDeclared[];
    worker_id?: number | null;
  }

  interface RenderedAnswer {
    payload: Record<string, unknown> | null;
    error: string | null;
    condition_holds: boolean | null;
  }

  interface RetentionAnswer {
    settings: DaysAnswer;
    definitions: OwnRetentionAnswer[];
    weeks: WeekAnswer[];
    last_run: LastRunAnswer | null;
  }

  interface RetentionPreview {
    jobs: number;
    bytes: number;
    definitions: ShareAnswer[];
    weeks: WholeWeekAnswer[];
  }

  interface RetentionRunAnswer {
    job_id: string;
  }

  interface RetryRequest {
    payload?: Record<string, unknown> | null;
  }

  interface RuleAnswer {
    id: string;
    tenant: string | null;
    name: string;
    kind: "job_died" | "failures_in_a_row" | "failure_rate" | "oldest_queued" | "no_worker" | "missed_fire" | "trigger_disabled" | "running_long";
    parameters: Record<string, unknown>;
    looks_for: string;
    enabled: boolean;
    open_alerts: number;
    created_at: string;
    created_by: string;
    targets: string[];
    repeat_seconds: number | null;
    escalate_to: string | null;
    escalate_after: number | null;
    group_seconds: number;
    recover_after_seconds: number | null;
    quiet_from: string | null;
    quiet_until: string | null;
    timezone: string;
  }

  interface RuleChanges {
    targets?: string[];
    repeat_seconds?: number | null;
    escalate_to?: string | null;
    escalate_after?: number | null;
    group_seconds?: number;
    recover_after_seconds?: number | null;
    quiet_from?: string | null;
    quiet_until?: string | null;
    timezone?: string;
    name?: string;
    parameters?: Record<string, unknown>;
  }

  interface RunBeat {
    worker_id: number;
    run: number;
    progress?: number | null;
    message?: string | null;
  }

  interface RunBeatAnswer {
    cancel_requested: boolean;
  }

  interface RunEnded {
    outcome: string;
    final: JobStatus | null;
    delay_seconds: number;
  }

  interface RunFailed {
    worker_id: number;
    run: number;
    error: string;
    traceback?: string | null;
    retryable?: boolean;
    retry_after_seconds?: number | null;
    unreadable?: boolean;
  }

  interface RunLines {
    worker_id: number;
    run: number;
    lines: SaidLine[];
  }

  interface RunLinesAnswer {
    last_seq: number;
  }

  interface SaidLine {
    message: string;
    level?: number;
    stream?: "log" | "stdout" | "stderr" | "notice";
    at?: string | null;
    fields?: Record<string, unknown> | null;
  }

  interface SampleAnswer {
    job_id: string;
    run: number;
    worker: string | null;
    error: string;
    traceback: string | null;
  }

  interface SearchAnswer {
    items: HitAnswer[];
    next_cursor?: string | null;
    searched_to: string | null;
    complete: boolean;
  }

  interface SessionAnswer {
    principal: string;
    role: "super_admin" | "tenant_admin" | "tenant_viewer" | "worker" | "metrics";
    tenant: string | null;
    tenants: string[];
    may: string[];
    version: string;
  }

  interface SettingAnswer {
    name: string;
    kind: "flag" | "count" | "number" | "duration" | "days" | "text" | "id" | "list" | "choice" | "moment" | "json";
    label: string;
    help: string;
    group: string;
    default: unknown;
    none: string | null;
    needs: string | null;
    types: string[];
    choices: string[];
    takes: string;
    least: number | null;
    above: number | null;
    most: number | null;
  }

  interface SettingsAnswer {
    items: SettingAnswer[];
  }

  interface ShareAnswer {
    definition: string;
    jobs: number;
    bytes: number;
  }

  interface SignIn {
    token?: string | null;
    code?: string | null;
    replace?: boolean;
  }

  interface SkippedAnswer {
    skipped: string;
  }

  interface Spread {
    count: number;
    mean: number | null;
    p50: number | null;
    p95: number | null;
  }

  interface StatisticsAnswer {
    hours: HourAnswer[];
    runs: number;
    mean_seconds: number | null;
    p50_seconds: number | null;
    p95_seconds: number | null;
  }

  interface StepAnswer {
    at: string;
    enqueued: number;
    requeued: number;
    succeeded: number;
    failed: number;
    canceled: number;
    dead_letter: number;
    retried: number;
    depth: number;
    latency_seconds: Spread;
    duration_seconds: Spread;
  }

  interface SummaryAnswer {
    scheduled: number;
    queued: number;
    running: number;
    succeeded: number;
    failed: number;
    canceled: number;
    dead_letter: number;
    dead_letter_capped: boolean;
    oldest_queued_at: string | null;
    oldest_queued_seconds: number | null;
    since: string;
    now: string;
  }

  interface SyncedAnswer {
    added: string[];
    changed: string[];
    deleted_from_code: string[];
    kept: string[];
    triggers_taken: string[];
    definitions_elsewhere: string[];
    triggers_elsewhere: string[];
  }

  interface TargetAnswer {
    id: string;
    tenant: string | null;
    name: string;
    kind: "webhook" | "email" | "command";
    address: string;
    signed: boolean;
    created_at: string;
    created_by: string;
  }

  interface TargetChanges {
    name?: string | null;
    address?: string | null;
    signing?: "keep" | "off" | "new";
  }

  interface TenantAnswer {
    name: string;
    title: string;
    limits: LimitsAnswer;
    weight: number;
    paused: boolean;
    pause: PauseAnswer | null;
    created_at: string;
  }

  interface TenantChange {
    title?: string | null;
    limits?: TenantLimitsRequest | null;
    weight?: number | null;
  }

  interface TenantLimitsRequest {
    max_queued?: number | null;
    max_payload_bytes?: number | null;
    requests_per_minute?: number | null;
    max_running?: number | null;
    queues?: string[];
    most_urgent_priority?: number | null;
  }

  interface TenantRunsAnswer {
    tenant: string;
    runs: number;
  }

  interface TermsAnswer {
    timeout_seconds: number | null;
    retry_base_seconds: number;
    retry_cap_seconds: number;
    retry_jitter_seconds: number;
    fair: boolean;
  }

  interface TestAnswer {
    notice_id: string;
  }

  interface TestRender {
    payload: Record<string, unknown>;
    event?: string;
    data?: Record<string, unknown>;
    condition?: string | null;
    definition?: string | null;
  }

  interface TokenAnswer {
    id: string;
    name: string;
    role: "super_admin" | "tenant_admin" | "tenant_viewer" | "worker" | "metrics";
    tenant: string | null;
    queues: string[];
    created_at: string;
    created_by: string;
    expires_at: string | null;
    last_used_at: string | null;
    revoked_at: string | null;
    expired: boolean;
  }

  interface TokenRequest {
    name: string;
    role: "super_admin" | "tenant_admin" | "tenant_viewer" | "worker" | "metrics";
    tenant?: string | null;
    queues?: string[] | null;
    expires_at?: string | null;
    expires_after_seconds?: number | null;
  }

  interface TriggerAnswer {
    id: string;
    tenant: string;
    name: string;
    definition: string;
    enabled: boolean;
    pause_note: string | null;
    app: string | null;
    overrides: Record<string, Override>;
    version: number;
    next_run_at: string | null;
    pending_due_at: string | null;
    last_run_at: string | null;
    last_error: string | null;
    fires: number;
    runs: number;
    created_at: string;
    created_by: string | null;
    obstacle: "deleted_from_code" | "definition_disabled" | "secret_fields" | "tenant_not_allowed" | "no_worker" | null;
    trigger_type: "schedule" | "init" | "event";
    cron: string | null;
    every_seconds: number | null;
    event: string | null;
    init_version: string;
    condition: string | null;
    timezone: string;
    payload: Record<string, unknown>;
    catch_up: "none" | "latest" | "all";
    misfire_grace_seconds: number;
    overlap: "allow" | "skip" | "queue_one" | "cancel_running";
    jitter_seconds: number;
    dedupe_window_seconds: number | null;
    pause_on_failures: number | null;
    starts_at: string | null;
    ends_at: string | null;
    max_fires: number | null;
    queue: string | null;
    priority: number | null;
    max_attempts: number | null;
    catch_up_cap: number;
  }

  interface TriggerChanges {
    trigger_type?: "schedule" | "init" | "event";
    cron?: string | null;
    every_seconds?: number | null;
    event?: string | null;
    init_version?: string;
    condition?: string | null;
    timezone?: string;
    payload?: Record<string, unknown>;
    catch_up?: "none" | "latest" | "all";
    misfire_grace_seconds?: number;
    overlap?: "allow" | "skip" | "queue_one" | "cancel_running";
    jitter_seconds?: number;
    dedupe_window_seconds?: number | null;
    pause_on_failures?: number | null;
    starts_at?: string | null;
    ends_at?: string | null;
    max_fires?: number | null;
    queue?: string | null;
    priority?: number | null;
    max_attempts?: number | null;
    catch_up_cap?: number;
    enabled?: boolean | null;
  }

  interface TriggerRunAnswer {
    at: string;
    status: string | null;
    reason: string | null;
    job_id: string | null;
    seconds: number | null;
  }

  interface TriggerSummaryAnswer {
    trigger: TriggerAnswer;
    words: string | null;
    clock_change: DueTime | null;
    runs: TriggerRunAnswer[];
  }

  interface UsualAnswer {
    definition: string;
    p50: number;
    p95: number;
  }

  interface UsualsAnswer {
    items: UsualAnswer[];
  }

  interface WeekAnswer {
    lower_bound: string;
    upper_bound: string;
    jobs: number;
    bytes: number;
    leaving: boolean;
  }

  interface WholeWeekAnswer {
    lower_bound: string;
    upper_bound: string;
    jobs: number;
    bytes: number;
  }

  interface WhyAnswer {
    reasons: ReasonAnswer[];
  }

  interface WorkerAnswer {
    id: number;
    name: string;
    hostname: string;
    pid: number;
    version: string;
    queues: string[];
    definitions: string[];
    concurrency: number;
    running: number;
    memory_bytes: number | null;
    running_jobs: string[];
    state: "live" | "stopped" | "lost";
    draining: boolean;
    stale: boolean;
    lease_seconds: number;
    lease_expires_at: string;
    heartbeat_at: string;
    started_at: string;
    stopped_at: string | null;
  }

  interface Get {
    "/session": { values: {}; answer: SessionAnswer };
    "/jobs/triggers/overview": {
      values: {
        definition?: string | null;
        trigger_type?: "schedule" | "init" | "event" | null;
        enabled?: boolean | null;
        event?: string | null;
        include_system?: boolean | null;
        limit?: number | null;
        cursor?: string | null;
      };
      answer: Page_TriggerSummaryAnswer_;
    };
    "/jobs/triggers/calendar": { values: { since: string; until: string }; answer: CalendarAnswer };
    "/jobs/triggers/{trigger_id}/backfill/preview": {
      values: { trigger_id: string; since: string; until: string };
      answer: BackfillPreview;
    };
    "/jobs/triggers": {
      values: {
        definition?: string | null;
        trigger_type?: "schedule" | "init" | "event" | null;
        enabled?: boolean | null;
        event?: string | null;
        include_system?: boolean | null;
        limit?: number | null;
        cursor?: string | null;
      };
      answer: Page_TriggerAnswer_;
    };
    "/jobs/triggers/preview": {
      values: {
        cron?: string | null;
        every_seconds?: number | null;
        timezone?: string | null;
        starts_at?: string | null;
        ends_at?: string | null;
        count?: number | null;
      };
      answer: PreviewAnswer;
    };
    "/jobs/triggers/{trigger_id}": { values: { trigger_id: string }; answer: TriggerAnswer };
    "/jobs/triggers/{trigger_id}/preview": {
      values: { trigger_id: string; count?: number | null };
      answer: PreviewAnswer;
    };
    "/jobs/triggers/{trigger_id}/fires": {
      values: { trigger_id: string; limit?: number | null; cursor?: string | null };
      answer: Page_FireAnswer_;
    };
    "/jobs/triggers/{trigger_id}/deliveries": {
      values: { trigger_id: string; limit?: number | null; cursor?: string | null };
      answer: Page_DeliveryAnswer_;
    };
    "/jobs/bulk": { values: { limit?: number | null }; answer: Page_OperationAnswer_ };
    "/jobs/bulk/{operation_id}": { values: { operation_id: string }; answer: OperationAnswer };
    "/jobs": {
      values: {
        definition?: string | null;
        queue?: string | null;
        source?: string | null;
        trigger?: string | null;
        event?: string | null;
        correlation_id?: string | null;
        worker?: string | null;
        q?: string | null;
        created_after?: string | null;
        created_before?: string | null;
        include_system?: boolean | null;
        status?: (JobStatus | string)[] | null;
        limit?: number | null;
        cursor?: string | null;
        offset?: number | null;
      };
      answer: JobsAnswer;
    };
    "/jobs/summary": { values: { window?: "1h" | "6h" | "24h" | "7d" | "30d" | null }; answer: SummaryAnswer };
    "/jobs/counts": { values: {}; answer: CountsAnswer };
    "/jobs/{job_id}": { values: { job_id: string }; answer: Job };
    "/jobs/{job_id}/attempts": {
      values: { job_id: string; limit?: number | null; cursor?: string | null };
      answer: AttemptsAnswer;
    };
    "/jobs/{job_id}/why": { values: { job_id: string }; answer: WhyAnswer };
    "/admin/tenants": { values: { limit?: number | null; cursor?: string | null }; answer: Page_TenantAnswer_ };
    "/admin/tenants/{name}": { values: { name: string }; answer: TenantAnswer };
    "/admin/tokens": { values: {}; answer: Page_TokenAnswer_ };
    "/admin/audit": {
      values: {
        who?: string | null;
        action?: string | null;
        target?: string | null;
        tenant?: string | null;
        since?: string | null;
        until?: string | null;
        limit?: number | null;
        cursor?: string | null;
      };
      answer: Page_AuditAnswer_;
    };
    "/admin/workers": {
      values: { state?: "live" | "stopped" | "lost" | null; limit?: number | null; cursor?: string | null };
      answer: Page_WorkerAnswer_;
    };
    "/admin/workers/{worker_id}": { values: { worker_id: number }; answer: WorkerAnswer };
    "/admin/queues": {
      values: { limit?: number | null; cursor?: string | null; include_system?: boolean | null };
      answer: Page_QueueAnswer_;
    };
    "/admin/queues/{queue}": { values: { queue: string }; answer: QueueAnswer };
    "/admin/retention": { values: {}; answer: RetentionAnswer };
    "/admin/retention/preview": { values: {}; answer: RetentionPreview };
    "/admin/jobs/definitions": {
      values: { limit?: number | null; cursor?: string | null; include_system?: boolean | null };
      answer: Page_InspectedDefinition_;
    };
    "/admin/jobs/definitions/{key}": { values: { key: string }; answer: DefinitionDetail };
    "/admin/jobs/summary": { values: { window?: "1h" | "6h" | "24h" | "7d" | "30d" | null }; answer: SummaryAnswer };
    "/admin/jobs": {
      values: {
        definition?: string | null;
        queue?: string | null;
        source?: string | null;
        trigger?: string | null;
        event?: string | null;
        correlation_id?: string | null;
        worker?: string | null;
        q?: string | null;
        created_after?: string | null;
        created_before?: string | null;
        include_system?: boolean | null;
        status?: (JobStatus | string)[] | null;
        limit?: number | null;
        cursor?: string | null;
        offset?: number | null;
        tenant?: string | null;
      };
      answer: JobsAnswer;
    };
    "/jobs/{job_id}/logs": {
      values: {
        job_id: string;
        after?: string | null;
        limit?: number | null;
        level?: number | null;
        stream?: "log" | "stdout" | "stderr" | "notice" | null;
        follow?: boolean | null;
        format?: "json" | "text" | null;
      };
      answer: LinesAnswer;
    };
    "/definitions": { values: { limit?: number | null; cursor?: string | null }; answer: Page_DefinitionAnswer_ };
    "/definitions/{key}": { values: { key: string }; answer: DefinitionAnswer };
    "/events": {
      values: { name?: string | null; limit?: number | null; cursor?: string | null };
      answer: Page_EventAnswer_;
    };
    "/events/{event_id}": { values: { event_id: string }; answer: EventAnswer };
    "/logs": {
      values: {
        query?: string | null;
        definition?: string | null;
        job_id?: string | null;
        level?: number | null;
        since?: string | null;
        until?: string | null;
        limit?: number | null;
        cursor?: string | null;
      };
      answer: SearchAnswer;
    };
    "/stream": { values: {}; answer: null };
    "/charts/throughput": {
      values: { window?: "1h" | "6h" | "24h" | "7d" | "30d" | null; definition?: string | null };
      answer: ChartAnswer;
    };
    "/charts/busiest": {
      values: { window?: "1h" | "6h" | "24h" | "7d" | "30d" | null; limit?: number | null };
      answer: BusiestAnswer;
    };
    "/charts/usual": { values: {}; answer: UsualsAnswer };
    "/charts/queues": { values: {}; answer: QueueChartsAnswer };
    "/overview/health": { values: {}; answer: HealthAnswer };
    "/errors": {
      values: { window?: "1h" | "6h" | "24h" | "7d" | null; definition?: string | null };
      answer: ErrorsAnswer;
    };
    "/settings/definition": { values: {}; answer: SettingsAnswer };
    "/settings/trigger": { values: {}; answer: SettingsAnswer };
    "/settings/alert_rule": { values: {}; answer: AlertRuleSettingsAnswer };
    "/alerts/rules": { values: { limit?: number | null; cursor?: string | null }; answer: Page_RuleAnswer_ };
    "/alerts/rules/{alert_rule_id}": { values: { alert_rule_id: string }; answer: RuleAnswer };
    "/alerts/targets": { values: { limit?: number | null; cursor?: string | null }; answer: Page_TargetAnswer_ };
    "/alerts/targets/{alert_target_id}": { values: { alert_target_id: string }; answer: TargetAnswer };
    "/alerts": {
      values: {
        limit?: number | null;
        cursor?: string | null;
        state?: "open" | "closed" | "all" | null;
        rule_id?: string | null;
      };
      answer: Page_AlertAnswer_;
    };
    "/alerts/deliveries": {
      values: {
        limit?: number | null;
        cursor?: string | null;
        notice_id?: string | null;
        target_id?: string | null;
      };
      answer: Page_AlertDeliveryAnswer_;
    };
    "/alerts/{alert_id}": { values: { alert_id: string }; answer: AlertAnswer };
  }

  interface Post {
    "/session": { values: {}; body: SignIn; answer: null };
    "/jobs/triggers": { values: {}; body: NewTrigger; answer: TriggerAnswer };
    "/jobs/triggers/test-render": { values: {}; body: TestRender; answer: RenderedAnswer };
    "/jobs/triggers/{trigger_id}/enable": { values: { trigger_id: string }; answer: TriggerAnswer };
    "/jobs/triggers/{trigger_id}/disable": {
      values: { trigger_id: string };
      body?: Disable | null;
      answer: TriggerAnswer;
    };
    "/jobs/triggers/{trigger_id}/reset": { values: { trigger_id: string }; answer: TriggerAnswer };
    "/jobs/triggers/{trigger_id}/fire": {
      values: { trigger_id: string };
      body?: FireRequest | null;
      answer: RanAnswer;
    };
    "/jobs/triggers/{trigger_id}/skip-next": { values: { trigger_id: string }; answer: SkippedAnswer };
    "/jobs/triggers/{trigger_id}/backfill": { values: { trigger_id: string }; body: Backfill; answer: BackfillAnswer };
    "/jobs/bulk": { values: {}; body: Bulk; answer: OperationAnswer | BulkCount };
    "/jobs/bulk/{operation_id}/cancel": { values: { operation_id: string }; answer: OperationAnswer };
    "/jobs": { values: {}; body: JobRequest; answer: Job };
    "/jobs/batch": { values: {}; body: Batch; answer: BatchAnswer };
    "/jobs/{job_id}/cancel": { values: { job_id: string }; answer: Job };
    "/jobs/{job_id}/retry": { values: { job_id: string }; body?: RetryRequest | null; answer: Job };
    "/admin/tenants": { values: {}; body: NewTenant; answer: TenantAnswer };
    "/admin/tenants/{name}/pause": { values: { name: string }; body?: PauseRequest | null; answer: TenantAnswer };
    "/admin/tenants/{name}/resume": { values: { name: string }; answer: TenantAnswer };
    "/admin/tokens": { values: {}; body: TokenRequest; answer: NewTokenAnswer };
    "/admin/workers/{worker_id}/drain": { values: { worker_id: number }; answer: WorkerAnswer };
    "/admin/queues/{queue}/pause": { values: { queue: string }; body?: PauseRequest | null; answer: QueueAnswer };
    "/admin/queues/{queue}/resume": { values: { queue: string }; answer: QueueAnswer };
    "/admin/retention/run": { values: {}; answer: RetentionRunAnswer };
    "/admin/jobs/definitions": { values: {}; body: NewSqlDefinition; answer: InspectedDefinition };
    "/admin/jobs/definitions/{key}/pause": {
      values: { key: string };
      body?: PauseRequest | null;
      answer: InspectedDefinition;
    };
    "/admin/jobs/definitions/{key}/resume": { values: { key: string }; answer: InspectedDefinition };
    "/worker/register": { values: {}; body: RegistrationRequest; answer: RegistrationAnswer };
    "/worker/heartbeat": { values: {}; body: Beat; answer: BeatAnswer };
    "/worker/stop": { values: {}; body: Leaving; answer: null };
    "/worker/jobs/claim": { values: {}; body: Claim; answer: ClaimAnswer };
    "/worker/jobs/finish": { values: {}; body: Finish; answer: FinishAnswer };
    "/worker/logs": { values: {}; body: Lines; answer: RefusedAnswer };
    "/worker/jobs/{job_id}/complete": { values: { job_id: string }; body: Completed; answer: RunEnded };
    "/worker/jobs/{job_id}/fail": { values: { job_id: string }; body: RunFailed; answer: RunEnded };
    "/worker/jobs/{job_id}/heartbeat": { values: { job_id: string }; body: RunBeat; answer: RunBeatAnswer };
    "/worker/jobs/{job_id}/logs": { values: { job_id: string }; body: RunLines; answer: RunLinesAnswer };
    "/events": { values: {}; body: NewEvent; answer: EmittedAnswer };
    "/alerts/rules": { values: {}; body: NewRule; answer: RuleAnswer };
    "/alerts/rules/{alert_rule_id}/enable": { values: { alert_rule_id: string }; answer: RuleAnswer };
    "/alerts/rules/{alert_rule_id}/disable": { values: { alert_rule_id: string }; answer: RuleAnswer };
    "/alerts/targets": { values: {}; body: NewTarget; answer: NewTargetAnswer };
    "/alerts/targets/{alert_target_id}/test": { values: { alert_target_id: string }; answer: TestAnswer };
    "/alerts/{alert_id}/acknowledge": { values: { alert_id: string }; answer: AlertAnswer };
    "/alerts/{alert_id}/close": { values: { alert_id: string }; answer: AlertAnswer };
  }

  interface Delete {
    "/session": { values: {}; answer: null };
    "/jobs/triggers/{trigger_id}": { values: { trigger_id: string }; answer: null };
    "/admin/tokens/{token_id}": { values: { token_id: string }; answer: TokenAnswer };
    "/alerts/rules/{alert_rule_id}": { values: { alert_rule_id: string }; answer: null };
    "/alerts/targets/{alert_target_id}": { values: { alert_target_id: string }; answer: null };
  }

  interface Patch {
    "/jobs/triggers/{trigger_id}": { values: { trigger_id: string }; body: TriggerChanges; answer: TriggerAnswer };
    "/admin/tenants/{name}": { values: { name: string }; body: TenantChange; answer: TenantAnswer };
    "/admin/queues/{queue}": { values: { queue: string }; body: QueueChange; answer: QueueAnswer };
    "/admin/jobs/definitions/{key}": { values: { key: string }; body: DefinitionChange; answer: InspectedDefinition };
    "/alerts/rules/{alert_rule_id}": { values: { alert_rule_id: string }; body: RuleChanges; answer: RuleAnswer };
    "/alerts/targets/{alert_target_id}": {
      values: { alert_target_id: string };
      body: TargetChanges;
      answer: NewTargetAnswer;
    };
  }
}
