"""What a target's address may be, by its kind."""

from __future__ import annotations

import re
from typing import Literal

from headrace.errors import BadRequest
from headrace.model.alert.web_address import Allowed, check_address

TargetKind = Literal["webhook", "email", "command"]
# Stricter than the standard, and as most people have it: what does not fit here is a slip as a rule.
MAIL = re.compile(r"[A-Za-z0-9._%+'-]{1,64}@(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*")
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}")
MOST_PEOPLE = 20


def check_target(name: str, kind: TargetKind, address: str, allowed: Allowed) -> str:
    """The address as it is kept, or `BadRequest`."""
    if not 1 <= len(name) <= 200:
        raise BadRequest("the name of a target has 1 to 200 characters", field="name")
    if kind == "webhook":
        check_address(address, allowed)
        return address
    if kind == "email":
        return ", ".join(mail_addresses(address))
    if not KEY.fullmatch(address):
        raise BadRequest(f"a command is named by its key, not {address!r:.200}", field="address")
    return address


def mail_addresses(text: str) -> list[str]:
    """One or several, separated by commas, or `BadRequest`."""
    found = [part.strip() for part in text.split(",") if part.strip()]
    if not 1 <= len(found) <= MOST_PEOPLE:
        raise BadRequest(f"give 1 to {MOST_PEOPLE} e-mail addresses, separated by commas", field="address")
    for one in found:
        if not MAIL.fullmatch(one):
            raise BadRequest(f"{one!r:.200} is not an e-mail address", field="address")
    return found
