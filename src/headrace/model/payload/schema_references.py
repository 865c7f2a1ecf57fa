"""What a `$ref` of a JSON Schema refers to within its own document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urljoin

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class References:
    """The resources and anchors of a document. What lies outside of it a schema may not refer to."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._base: dict[int, str] = {}
        self._named: dict[str, list[Any]] = {}
        # A dynamic reference goes to whichever anchor of its name is outermost: any of them may be.
        self._dynamic: dict[str, list[Any]] = {}
        self._read(document)

    def targets(self, node: Any) -> Iterator[Any]:
        """The subschemas that the references of a subschema may mean; more than one where that is not certain."""
        base = self._base.get(id(node), "")
        for word in REFERENCES:
            reference = node.get(word)
            if isinstance(reference, str):
                yield from self._find(reference, base)
                if word != "$ref":
                    yield from self._dynamic.get(reference.rpartition("#")[2], ())

    def _find(self, reference: str, base: str) -> Iterator[Any]:
        address, _, fragment = reference.partition("#")
        whole = _join(base, address) if address else base
        # Without an address the document itself is meant too: an `id` in the middle may be no keyword of its draft.
        roots = [*self._named.get(whole, ()), *(() if address else (self._document,))]
        fragment = unquote(fragment)
        if not fragment or fragment.startswith("/"):
            for root in roots:
                yield follow_pointer(root, fragment)
        else:
            yield from self._named.get(f"{whole}#{fragment}" if address else f"#{fragment}", ())

    def _read(self, document: Any) -> None:
        waiting = [(document, "")]
        while waiting:
            node, base = waiting.pop()
            if isinstance(node, list):
                waiting += [(item, base) for item in node]
            elif isinstance(node, dict):
                base = self._name(node, base)
                self._base[id(node)] = base
                waiting += [(item, base) for item in node.values()]

    def _name(self, node: dict[str, Any], base: str) -> str:
        """File a subschema under the names that it gives itself; the base of what is inside it."""
        for word in ("$id", "id"):
            own = node.get(word)
            if isinstance(own, str):
                address, _, anchor = own.partition("#")
                base = _join(base, address) if address else base
                if anchor:
                    self._file_anchor(base, anchor, node)
                else:
                    self._file(base, node)
        for word in ("$anchor", "$dynamicAnchor"):
            if isinstance(named := node.get(word), str):
                self._file_anchor(base, named, node)
                if word == "$dynamicAnchor":
                    self._dynamic.setdefault(named, []).append(node)
        if node.get("$recursiveAnchor") is True:
            self._dynamic.setdefault("", []).append(node)
        return base

    def _file_anchor(self, base: str, name: str, node: Any) -> None:
        for address in {base, ""}:
            self._file(f"{address}#{name}", node)

    def _file(self, name: str, node: Any) -> None:
        self._named.setdefault(name, []).append(node)


def follow_pointer(node: Any, pointer: str) -> Any:
    """What a JSON pointer leads to, or nothing."""
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict):
            node = node.get(part)
        elif isinstance(node, list) and part.isdecimal() and len(part) < 10 and int(part) < len(node):
            node = node[int(part)]
        else:
            return None
    return node


def find_pointer(document: Any, wanted: Any) -> str:
    """Where a subschema stands in its document, as a reference to it."""
    waiting = [("#", document)]
    while waiting:
        pointer, node = waiting.pop()
        if node is wanted:
            return pointer
        if isinstance(node, dict):
            waiting += [(f"{pointer}/{_escaped(name)}", item) for name, item in node.items()]
        elif isinstance(node, list):
            waiting += [(f"{pointer}/{n}", item) for n, item in enumerate(node)]
    return "#"


def _escaped(name: str) -> str:
    return str(name).replace("~", "~0").replace("/", "~1")


def _join(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return address
