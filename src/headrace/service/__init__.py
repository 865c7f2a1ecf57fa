"""The only door for people: authorise, one transaction, audit."""
