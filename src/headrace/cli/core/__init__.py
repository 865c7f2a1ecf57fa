"""What all commands share: the API as a client, options, errors, payloads, completion."""
