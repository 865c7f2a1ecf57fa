"""The table at the end of a storm, and the same as JSON."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.chaos.storm.evidence import Evidence
from tests.chaos.storm.findings import Findings

MOST_SENTENCES = 60


@dataclass
class Report:
    """A storm, what it did and what was wrong."""

    seed: int
    seconds: float
    evidence: Evidence
    findings: Findings

    def figures(self) -> dict[str, Any]:
        """For programs."""
        evidence = self.evidence
        kinds = Counter(injected.kind for injected in evidence.injected)
        runs = Counter(run.outcome for job in evidence.jobs.values() for run in job.runs)
        ends = Counter(str(run.final) for job in evidence.jobs.values() for run in job.finals())
        return {
            "seed": self.seed,
            "minutes": round(self.seconds / 60, 2),
            "injected": dict(sorted(kinds.items())),
            "injections": kinds.total(),
            "jobs": len(evidence.jobs),
            "definitions": dict(Counter(job.definition for job in evidence.jobs.values())),
            "ends": dict(ends),
            "runs": dict(runs),
            "due_times": sum(len(history.jobs) for history in evidence.histories.values()),
            "events": len(evidence.truth.emitted),
            "processes": len(evidence.lives),
            "wrong": self.findings.counts(),
            "what": {name: sentences[:MOST_SENTENCES] for name, sentences in vars(self.findings).items() if sentences},
            "stalls_of_this_machine": len(evidence.stalls),
        }

    def table(self) -> str:
        """For people."""
        figures = self.figures()
        rows = [f"| {kind} | {n:,} |" for kind, n in figures["injected"].items()]
        wrong = self.findings.counts()
        heads, numbers = " | ".join(wrong), " | ".join(f"{n:,}" for n in wrong.values())
        load = f"{figures['jobs']:,} jobs, {figures['due_times']:,} due times, {figures['events']:,} events"
        parts = [
            f"seed {self.seed}, {figures['minutes']:g} minutes, {load}, {figures['processes']} processes",
            "\n".join(["| fault | injected |", "|---|---|", *rows, f"| **all** | **{figures['injections']:,}** |"]),
            f"| {heads} |\n{'|---' * len(wrong)}|\n| {numbers} |",
        ]
        for name, sentences in figures["what"].items():
            parts.append("\n".join(f"{name}: {sentence}" for sentence in sentences))
        return "\n\n".join(parts)
