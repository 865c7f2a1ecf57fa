"""What an app is called: by its code's project, wherever it is started and whatever its module is called."""

from __future__ import annotations

import importlib.util
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from tests.app.test_api import NOWHERE

from headrace import Headrace
from headrace.app.name import name_of
from headrace.errors import ConfigError

Load = Callable[[Path], ModuleType]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    """Imports a file under the name of its stem."""

    def load(file: Path) -> ModuleType:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("def work() -> None: ...\n")
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, file.stem, module)
        spec.loader.exec_module(module)
        return module

    return load


def test_it_is_the_name_of_the_nearest_project_that_has_one(tmp_path: Path, load: Load) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    jobs = load(tmp_path / "src" / "jobs.py")
    (tmp_path / "src" / "pyproject.toml").write_text("[tool.ruff]\nline-length = 100\n")
    assert name_of(jobs.work) == "shop"


def test_an_installed_package_has_the_name_of_its_distribution_and_not_of_the_project_around_it() -> None:
    assert Path(pytest.__file__).is_relative_to(sysconfig.get_path("purelib"))
    assert name_of(pytest.fail) == "pytest"


def test_code_without_a_project_has_no_name_whatever_its_module_is_called(tmp_path: Path, load: Load) -> None:
    assert name_of(load(tmp_path / "jobs.py").work) == "default"


def test_what_is_named_is_called_so_and_the_constructor_has_the_last_word(
    tmp_path: Path, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    hr = Headrace(NOWHERE)
    hr.job(load(tmp_path / "jobs.py").work)
    assert hr.app == "shop"
    monkeypatch.setenv("HEADRACE_APP", "till")
    hr.configure({})
    assert hr.app == "till"
    assert Headrace(NOWHERE, app="desk").app == "desk"
    with pytest.raises(ConfigError, match=r"app = 'a b' .*pattern"):
        _ = Headrace(NOWHERE, app="a b").settings
