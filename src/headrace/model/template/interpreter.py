"""JMESPath's interpreter, with a budget: each part that it visits and each text that it makes is counted."""

from __future__ import annotations

import json
from typing import Any

from jmespath.functions import Functions, signature
from jmespath.visitor import Options, TreeInterpreter

from headrace.model.template.budget import Budget


class CountingFunctions(Functions):
    """The functions whose cost grows with the value that they are given, in place of JMESPath's own."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    @signature({"types": []})
    def _func_to_string(self, value: Any) -> str:
        if isinstance(value, str):
            return value
        text = json.dumps(value, separators=(",", ":"), default=str)
        # Counted afterwards: the one text that is too much comes from the event, which has a largest size.
        self._budget.add_text(len(text))
        return text

    @signature({"types": ["array", "string"]}, {"types": []})
    def _func_contains(self, subject: Any, search: Any) -> bool:
        if isinstance(subject, list):
            if isinstance(search, dict | list):
                self._budget.add_values(subject)
            else:
                self._budget.add_steps(len(subject))
        return search in subject


class CountingInterpreter(TreeInterpreter):
    """Evaluates one expression within a budget."""

    def __init__(self, budget: Budget) -> None:
        super().__init__(Options(custom_functions=CountingFunctions(budget)))
        self._budget = budget

    def visit(self, node: Any, *args: Any, **kwargs: Any) -> Any:
        self._budget.add_steps()
        return super().visit(node, *args, **kwargs)

    def visit_comparator(self, node: Any, value: Any) -> Any:
        # JMESPath has no order of lists and objects, so only whether they are equal can take long.
        if node["value"] not in ("eq", "ne"):
            return super().visit_comparator(node, value)
        left, right = (self.visit(child, value) for child in node["children"])
        if isinstance(left, dict | list) and type(left) is type(right) and len(left) == len(right):
            self._budget.add_values(left)
        return self.COMPARATOR_FUNC[node["value"]](left, right)
