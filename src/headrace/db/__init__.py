"""The database: pool, statements, migrations, partitions and the embedded server."""
