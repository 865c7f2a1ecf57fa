"""One module for each noun: paths and shapes in, one verb of the service, shapes out."""
