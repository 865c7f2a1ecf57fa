drop table headrace.session;
