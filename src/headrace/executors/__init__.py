"""How an attempt runs: on the loop, in a thread, in a child process."""
