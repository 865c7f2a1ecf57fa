"""Whatever fits the OpenAPI, and much that does not, from every role: no 5xx, and no answer that breaks its schema."""

from __future__ import annotations

import os
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.api.conftest import Api
from tests.api.served import Served
from tests.api.test_access import CALLERS
from tests.service.seeding import seed_everything

EXAMPLES = 400 if os.environ.get("LONG_TESTS") else 3
STEPS = 30 if os.environ.get("LONG_TESTS") else 6
# They answer for as long as one listens.
ENDLESS = {"stream"}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
PATIENT: dict[str, Any] = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
    "phases": (Phase.explicit, Phase.generate),
    "derandomize": not os.environ.get("LONG_TESTS"),
}


@pytest.fixture
async def headers(api: Api) -> dict[str, dict[str, str]]:
    """A token for each caller."""
    await seed_everything(api)
    tokens = {name: await api.token(*who) for name, who in CALLERS.items() if who is not None}
    return {name: {"Authorization": f"Bearer {token}"} for name, token in tokens.items()} | {"nobody": {}}


@pytest.mark.timeout(3600 if os.environ.get("LONG_TESTS") else 300)
@pytest.mark.parametrize("callers", [["super_admin", "nobody", "tenant_viewer"], ["tenant_admin", "worker"]])
def test_single_requests_get_answers_that_fit(
    served: Served, headers: dict[str, dict[str, str]], callers: list[str]
) -> None:
    schema = schemathesis.openapi.from_url(f"{served.url}/api/v1/openapi.json")
    for result in schema.get_all_operations():
        operation: Any = result.ok()  # type: ignore[union-attr]
        if operation.definition.raw["operationId"] in ENDLESS:
            continue
        modes = list(schemathesis.GenerationMode)
        cases = st.one_of(*[operation.as_strategy(generation_mode=mode) for mode in modes])

        @given(case=cases, caller=st.sampled_from(callers))
        @settings(max_examples=EXAMPLES, **PATIENT)
        def check(case: Any, caller: str) -> None:
            if (case.query or {}).get("follow") in (True, "true", "1"):
                return
            if isinstance(case.body, dict) and isinstance(case.body.get("wait_seconds"), int | float):
                case.body["wait_seconds"] = min(case.body["wait_seconds"], 0)
            case.call_and_validate(headers=headers[caller], checks=CHECKS, timeout=40)

        check()


@pytest.mark.timeout(3600 if os.environ.get("LONG_TESTS") else 300)
def test_requests_that_follow_from_one_another_get_answers_that_fit(
    served: Served, headers: dict[str, dict[str, str]]
) -> None:
    schema = schemathesis.openapi.from_url(f"{served.url}/api/v1/openapi.json")
    machine = schema.exclude(operation_id=list(ENDLESS | {"read_job_logs"})).as_state_machine()
    for caller in CALLERS:
        said = {"headers": headers[caller], "timeout": 40}

        class Requests(machine):  # type: ignore[misc, valid-type]
            """As one caller."""

            def get_call_kwargs(self, _case: Any, said: dict[str, Any] = said) -> dict[str, Any]:
                return said

            def validate_response(self, response: Any, case: Any, **_: Any) -> None:
                case.validate_response(response, checks=CHECKS)

        Requests.run(settings=settings(max_examples=EXAMPLES, stateful_step_count=STEPS, **PATIENT))
