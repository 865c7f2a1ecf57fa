"""What becomes of an incident, and who is told what and when."""

from __future__ import annotations

from datetime import time, timedelta

from tests.model.alert.alerting import FIRST, NOW, SECOND, Story, reading, rule

from headrace.model.alert.incident import judge
from headrace.model.alert.quiet_hours import QuietHours

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def test_it_is_told_once_when_it_begins_and_once_when_it_ends() -> None:
    story = Story()
    for _ in range(3):
        story.look("work", after=5)
    story.look(after=5)
    story.look(after=5)
    assert story.told == [("firing", FIRST.int, ("work",)), ("recovered", FIRST.int, ("work",))]
    assert story.incidents[0].closed_at == NOW + timedelta(seconds=20)


def test_it_is_over_only_when_it_was_not_seen_for_long_enough() -> None:
    story = Story(recover_after=MINUTE)
    story.look("work")
    story.look(after=59)
    story.look("work", after=5)
    story.look(after=59)
    assert [event for event, *_ in story.told] == ["firing"]
    story.look(after=1)
    assert [event for event, *_ in story.told] == ["firing", "recovered"]


def test_a_second_one_of_the_same_subject_begins_after_the_first_has_ended() -> None:
    story = Story()
    story.look("work")
    story.look(after=5)
    story.look("work", after=5)
    assert [event for event, *_ in story.told] == ["firing", "recovered", "firing"]
    assert len(story.incidents) == 2


def test_what_lies_before_the_last_end_does_not_open_another() -> None:
    floors = {"work": NOW}
    assert judge(rule(), [reading(at=NOW)], [], floors=floors, now=NOW).incidents == []
    later = NOW + timedelta(microseconds=1)
    assert len(judge(rule(), [reading(at=later)], [], floors=floors, now=later).incidents) == 1


def test_many_at_once_are_one_notice() -> None:
    story = Story()
    story.look("a", "b", "c")
    story.look(after=5)
    assert story.told == [("firing", FIRST.int, ("a", "b", "c")), ("recovered", FIRST.int, ("a", "b", "c"))]


def test_those_that_follow_soon_wait_and_go_together() -> None:
    story = Story(group=timedelta(seconds=30))
    story.look("a")
    story.look("a", "b", after=5)
    story.look("a", "b", "c", after=5)
    assert story.told == [("firing", FIRST.int, ("a",))]
    story.look("a", "b", "c", after=20)
    assert story.told[1:] == [("firing", FIRST.int, ("b", "c"))]


def test_one_that_ended_while_it_waited_is_never_told() -> None:
    story = Story(group=timedelta(seconds=30))
    story.look("a")
    story.look("a", "b", after=5)
    story.look("a", after=5)
    story.look("a", after=60)
    assert story.told == [("firing", FIRST.int, ("a",))]


def test_it_is_repeated_as_often_as_the_rule_says() -> None:
    story = Story(repeat=MINUTE)
    for after in (0, 59, 1, 59, 1):
        story.look("work", after=after)
    assert [event for event, *_ in story.told] == ["firing", "repeated", "repeated"]
    assert story.incidents[0].notices == 3


def test_without_repeats_it_is_told_once_however_long_it_lasts() -> None:
    story = Story()
    for _ in range(10):
        story.look("work", after=86_400)
    assert len(story.told) == 1


def test_the_second_target_is_told_with_the_nth_repeat_and_from_then_on() -> None:
    story = Story(repeat=MINUTE, escalate_after=2, escalate_to=SECOND)
    for _ in range(4):
        story.look("work", after=60)
    story.look(after=60)
    assert story.told == [
        ("firing", FIRST.int, ("work",)),
        ("repeated", FIRST.int, ("work",)),
        ("repeated", FIRST.int, ("work",)),
        ("escalated", SECOND.int, ("work",)),
        ("repeated", FIRST.int, ("work",)),
        ("repeated", SECOND.int, ("work",)),
        ("recovered", FIRST.int, ("work",)),
        ("recovered", SECOND.int, ("work",)),
    ]


def test_what_was_not_escalated_recovers_without_a_word_to_the_second_target() -> None:
    story = Story(repeat=MINUTE, escalate_after=2, escalate_to=SECOND)
    story.look("work")
    story.look(after=60)
    assert story.told[-1] == ("recovered", FIRST.int, ("work",))


def test_an_acknowledged_one_is_silent_until_it_recovers() -> None:
    story = Story(repeat=MINUTE, escalate_after=1, escalate_to=SECOND)
    story.look("work")
    story.change(acknowledged_at=story.now)
    for _ in range(5):
        story.look("work", after=600)
    story.look(after=5)
    assert story.told == [("firing", FIRST.int, ("work",)), ("recovered", FIRST.int, ("work",))]


def test_one_that_a_person_closed_is_told_as_over() -> None:
    story = Story()
    story.look("work")
    story.change(closed_at=story.now, closed_by="ann")
    story.look(after=5)
    story.look(after=5)
    assert [event for event, *_ in story.told] == ["firing", "recovered"]


def test_quiet_hours_hold_back_what_is_still_true_at_their_end() -> None:
    story = Story(quiet=QuietHours(time(12), time(13)))
    story.look("work")
    story.look("work", after=3599)
    assert story.told == []
    story.look("work", after=1)
    assert story.told == [("firing", FIRST.int, ("work",))]


def test_what_began_and_ended_in_quiet_hours_is_never_told() -> None:
    story = Story(quiet=QuietHours(time(12), time(13)))
    story.look("work")
    story.look(after=60)
    story.look(after=7200)
    assert story.told == []


def test_an_end_in_quiet_hours_is_told_once_they_are_over() -> None:
    story = Story(quiet=QuietHours(time(12, 1), time(13)))
    story.look("work")
    story.look(after=120)
    assert [event for event, *_ in story.told] == ["firing"]
    story.look(after=3600)
    story.look(after=5)
    assert [event for event, *_ in story.told] == ["firing", "recovered"]


def test_without_targets_it_is_kept_and_nobody_is_told_until_there_are_some() -> None:
    story = Story(targets=())
    story.look("work")
    assert (len(story.incidents), story.told) == (1, [])
    story.rule = rule()
    story.look("work", after=5)
    assert story.told == [("firing", FIRST.int, ("work",))]


def test_nothing_is_written_for_a_rule_of_which_nothing_is_new() -> None:
    story = Story()
    assert story.look().incidents == []
    story.look("work")
    story.look(after=5)
    assert story.look(after=5).incidents == []
