"""Spans from enqueue to run, where the application has set up OpenTelemetry, and next to nothing where it has not.

Only the API of OpenTelemetry is used, and it is loaded by the first who needs it: whoever never sets up an SDK never
loads it. What a job carries from its enqueue to its runs is text (`carried`).
"""
