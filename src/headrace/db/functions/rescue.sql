-- What an attempt says whose worker was lost; with how long its process stood still, if that is known.
create or replace function headrace._lost_error(stood_still interval) returns text language sql immutable return
  case when stood_still is null then 'the worker was lost while it ran this job'
       else format('its worker was silent for %s s while its process lived: does a handler hold the GIL? '
                   'Declare it with isolation="process"', round(extract(epoch from stood_still)))
  end;
