-- Workers over HTTP: whose a worker is, and nobody else may speak in its name. None: it has a login to the database.
alter table headrace.worker add column principal text;
