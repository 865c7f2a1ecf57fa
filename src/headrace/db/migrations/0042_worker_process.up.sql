-- By which name those who share an embedded server can ask whether the worker's process is still there; null for all others.
alter table headrace.worker add column process text;
