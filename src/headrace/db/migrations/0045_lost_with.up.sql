-- How many jobs a worker held when it was called lost. A rescue may free them in several batches: whether a job was lost beside others
-- is decided once, when all of them are still there.
alter table headrace.worker add column lost_with int check (lost_with >= 0);
