alter table headrace.worker drop column memory_bytes;
