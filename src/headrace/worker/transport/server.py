"""A Headrace server as a worker reaches it: one request, one answer, and what its refusals mean."""

from __future__ import annotations

from typing import Any

import httpx

from headrace.errors import BadRequest, HeadraceError, ServerUnusable, TokenRefused
from headrace.worker.transport.interface import TransportAway

PREFIX = "api/v1/worker/"
ANSWER_WITHIN = 30.0
CONNECT_WITHIN = 10.0
# Less than servers leave an idle connection open, lest one closes while we send.
IDLE_FOR = 3.0
# To wait would not help: somebody must give us another token.
NOT_LET_IN = (401, 403)


class Refused(Exception):
    """The server understood, and said no."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{detail} ({status} {code})")
        self.status = status
        self.code = code
        self.detail = detail


class Server:
    """Its address and our token; connections stay open between requests. One for each event loop."""

    def __init__(self, url: str, token: str, *, answers_within: float = ANSWER_WITHIN) -> None:
        self.url = url
        self._answers_within = min(answers_within, ANSWER_WITHIN)
        try:
            self._client = httpx.AsyncClient(
                base_url=f"{url.rstrip('/')}/{PREFIX}",
                headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
                timeout=httpx.Timeout(ANSWER_WITHIN, connect=CONNECT_WITHIN),
                limits=httpx.Limits(keepalive_expiry=IDLE_FOR),
            )
        except (httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise BadRequest(f"{url!r} or the token cannot be used: {error}") from None

    async def post(self, path: str, body: bytes, *, waits: float = 0.0) -> Any:
        """The answer; `Refused`, or `TransportAway` when there is none that is worth the name."""
        try:
            response = await self._client.post(
                path, content=body, timeout=httpx.Timeout(self._answers_within + waits, connect=CONNECT_WITHIN)
            )
        except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            raise BadRequest(f"{self.url!r} cannot be used: {error}") from None
        except (httpx.TransportError, RuntimeError) as error:
            raise TransportAway(f"{type(error).__name__}: {error}") from error
        if response.status_code == 204:
            return None
        try:
            answer = response.json()
        except ValueError as error:
            if response.status_code in NOT_LET_IN:  # by whoever stands before it
                raise Refused(response.status_code, "refused", response.reason_phrase) from error
            raise TransportAway(
                f"{self.url} is reachable, but did not return a Headrace API response: {error}"
            ) from error
        if response.is_success:
            return answer
        raise self._refusal(response.status_code, answer)

    def _refusal(self, status: int, answer: Any) -> Exception:
        if status in NOT_LET_IN and not (isinstance(answer, dict) and "code" in answer):
            return Refused(status, "refused", str(answer)[:200])
        if not isinstance(answer, dict) or "code" not in answer or status >= 500:
            return TransportAway(f"{self.url} answers {status}: {str(answer)[:200]}")
        return Refused(status, str(answer["code"]), str(answer.get("detail", "")))

    async def close(self) -> None:
        """Give the connections back."""
        await self._client.aclose()


def explain(url: str, error: Refused) -> HeadraceError:
    """For people, when a worker may not even begin."""
    if error.status == 401:
        return TokenRefused(
            f"the Headrace server at {url} refuses this token: unknown, expired or revoked. Check HEADRACE_TOKEN."
        )
    if error.status == 403:
        return TokenRefused(f"the Headrace server at {url} refuses: {error.detail}")
    if error.code == "not_found" and error.status == 404:
        return ServerUnusable(f"the server at {url} has no API for workers: {error.detail}. Check --url.")
    return BadRequest(f"the Headrace server at {url} refuses: {error.detail}")
