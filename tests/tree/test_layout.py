"""The tree has one plan: small folders, one name for one thing, and no path that leads nowhere."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import headrace

SOURCE = Path(headrace.__file__).parent
ROOT = Path(__file__).parents[2]
MODULES = sorted(SOURCE.rglob("*.py"))
LARGEST_FOLDER = 20
TREE = ("src", "tests", "scripts", "bench", "docs", "examples")

# Words that nobody could look up; each thing has a plain name now.
GONE = {"act", "desk", "gatekeeper", "glance", "house", "journal", "pace", "portion", "road"}
GONE_CLASSES = {"Kinds", "Looks", "Patient", "Verbs"}
GONE_FILES = {
    *("about", "claims", "completing", "desk", "door", "exposition", "fit", "garbage", "house", "journal", "live"),
    *("local_house", "looks", "moment", "origin", "pace", "parts", "portion", "road", "sign_in", "turns"),
    *("typed", "until_gone", "verbs", "waiting", "watch", "who"),
}
# Written about, and no file of the tree: an application's, or an example's.
OTHERS_FILES = {"headrace.toml", "pyproject.toml", "c.py"}
PATH = re.compile(r"(?<![\w.*/-])(?:\.{1,2}/)*[\w/-]*\w\.(?:py|sql|js|md|toml)\b")


@pytest.mark.parametrize("root", ["src/headrace", "tests"])
def test_no_folder_has_more_than_twenty_modules(root: str) -> None:
    modules = [path for path in (ROOT / root).rglob("*") if path.suffix in (".py", ".js") and path.stem != "__init__"]
    folders = Counter(str(path.parent.relative_to(ROOT)) for path in modules if "vendor" not in path.parts)
    assert {folder: many for folder, many in folders.items() if many > LARGEST_FOLDER} == {}


def test_no_class_name_stands_twice_in_one_layer() -> None:
    places = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[path.relative_to(SOURCE).parts[0], node.name].append(str(path.relative_to(SOURCE)))
    assert {key: files for key, files in places.items() if len(files) > 1} == {}


def test_no_name_that_has_a_plain_one_is_left() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{token.start[0]}: {token.string}"
        for path in MODULES
        for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline)
        if token.type == tokenize.NAME
        and (token.string.strip("_").lower() in GONE or token.string.strip("_") in GONE_CLASSES)
    ]
    assert found == []
    assert [str(path.relative_to(SOURCE)) for path in MODULES if path.stem in GONE_FILES] == []


def notes(path: Path) -> Iterator[str]:
    """What a file says for people: docstrings and comments."""
    text = path.read_text("utf-8")
    if path.suffix != ".py":
        yield from re.findall(r"^\s*(?:--|//).*$", text, re.MULTILINE)
        return
    yield from (t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT)
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    yield from (ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, kinds))


def test_a_file_that_a_comment_or_docstring_names_is_there() -> None:
    below = [path for top in TREE for path in (ROOT / top).rglob("*.*")]
    files = {f"/{path.relative_to(ROOT)}" for path in [*below, *ROOT.glob("*.md")]}
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted([*SOURCE.rglob("*"), *(ROOT / "tests").rglob("*.py")])
        if path.suffix in (".py", ".sql", ".js") and "vendor" not in path.parts
        for note in notes(path)
        for name in PATH.findall(note)
        if name not in OTHERS_FILES and not any(file.endswith("/" + name.lstrip("./")) for file in files)
    ]
    assert wrong == []
