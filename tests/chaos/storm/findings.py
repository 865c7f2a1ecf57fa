"""What is wrong, in sentences, by the columns of the table."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Findings:
    """All of these must be empty."""

    lost: list[str] = field(default_factory=list)
    """Confirmed and not there, or ended well without having run."""
    doubled: list[str] = field(default_factory=list)
    """Ended twice, the same run started twice, started after its end, two jobs for one request."""
    stuck: list[str] = field(default_factory=list)
    """Did not end after the faults had."""
    missed: list[str] = field(default_factory=list)
    """Due times and events without their job."""
    extra: list[str] = field(default_factory=list)
    """Fires and jobs that nobody asked for."""
    above_limit: list[str] = field(default_factory=list)
    wronged: list[str] = field(default_factory=list)
    """Failed, called lost, run early or ended for no fault of its own."""

    def counts(self) -> dict[str, int]:
        """So many of each."""
        return {name.replace("_", " "): len(sentences) for name, sentences in vars(self).items()}

    def nothing(self) -> bool:
        return not any(self.counts().values())
