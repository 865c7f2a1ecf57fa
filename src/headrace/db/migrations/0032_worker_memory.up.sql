-- What a worker's process has in memory, as it says with each heartbeat; null where its machine does not tell.
alter table headrace.worker add column memory_bytes bigint check (memory_bytes >= 0);
