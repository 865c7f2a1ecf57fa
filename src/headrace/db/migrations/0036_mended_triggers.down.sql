drop trigger mend_stopped on headrace.trigger;
drop function headrace._trigger_mended;
