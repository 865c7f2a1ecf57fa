-- What is known of a run beside its outcome: of a command its exit code, signal, pid, CPU, memory, tails and which argv ran.
alter table headrace.attempt add column detail jsonb;
