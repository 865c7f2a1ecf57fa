"""What is served to browsers: files for ever, the page for every address, and a policy that allows nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import httpx
import pytest
from scripts.refresh_vendor import FOLDERS, LIST, sum_of
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount
from starlette.types import Receive, Scope, Send

from headrace.web.files import STATIC, FileCache
from headrace.web.site import Site

HTML = {"Accept": "text/html,application/xhtml+xml"}
SCRIPTS = [path for path in STATIC.rglob("*.js") if "vendor" not in path.parts]


async def api(scope: Scope, receive: Receive, send: Send) -> None:
    """What the API would answer."""
    await PlainTextResponse("the API")(scope, receive, send)


def browser(app: object = None) -> httpx.AsyncClient:
    """One that looks at pages."""
    transport = httpx.ASGITransport(app or Site(api))  # type: ignore[arg-type]
    return httpx.AsyncClient(transport=transport, base_url="http://headrace.test", headers=HTML)


@pytest.mark.parametrize("path", ["/", "/jobs", "/jobs/01956c1e-7a40-7c52-9b1d-5f20c3a8e41c", "/anything/else?x=1"])
async def test_every_address_of_the_dashboard_is_the_page(path: str) -> None:
    async with browser() as client:
        page = await client.get(path)

        assert page.status_code == 200
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert page.headers["cache-control"] == "no-cache"
        assert '<div id="app">' in page.text


@pytest.mark.parametrize("path", ["/api/v1/jobs", "/api", "/healthz", "/readyz", "/metrics"])
async def test_what_is_for_programs_goes_to_the_api(path: str) -> None:
    async with browser() as client:
        answer = await client.get(path)

        assert answer.text == "the API"
        assert answer.headers["cache-control"] == "no-store"


async def test_programs_that_ask_for_no_page_and_changes_get_none() -> None:
    async with browser() as client:
        assert (await client.get("/jobs", headers={"Accept": "*/*"})).text == "the API"
        assert (await client.post("/jobs")).text == "the API"


async def test_all_that_the_page_names_is_there_and_kept_for_ever() -> None:
    async with browser() as client:
        page = (await client.get("/jobs")).text
        [imports] = re.findall(r'<script type="importmap">(.*?)</script>', page)
        named = [*re.findall(r'(?:src|href)="([^"]+)"', page), *json.loads(imports)["imports"].values()]

        assert len(named) > 40
        for path in named:
            file = await client.get(path)
            assert file.status_code == 200, path
            assert file.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert file.headers["x-content-type-options"] == "nosniff"
            assert file.headers["content-type"].split(";")[0] in ("text/javascript", "text/css", "image/svg+xml"), path


async def test_every_script_is_told_to_the_browser_at_once() -> None:
    async with browser() as client:
        page = (await client.get("/")).text

    for script in SCRIPTS:
        name = script.relative_to(STATIC).as_posix()
        assert name == "theme.js" or f'/{name}">' in page, name


@pytest.mark.parametrize(
    "path", ["/static/old/js/main.js", "/static/{mark}/no.js", "/static/{mark}/../page.py", "/static/{mark}/index.html"]
)
async def test_there_are_no_other_files(path: str) -> None:
    async with browser() as client:
        assert (await client.get("/static/" + path.format(mark=FileCache().look().mark))).text == "the API"


async def test_files_are_packed_for_who_can_unpack() -> None:
    path = f"/static/{FileCache().look().mark}/vendor/uplot.js"
    async with browser() as client:
        packed = await client.get(path, headers={"Accept-Encoding": "gzip"})
        plain = await client.get(path, headers={"Accept-Encoding": "identity"})

        assert packed.headers["content-encoding"] == "gzip"
        assert int(packed.headers["content-length"]) < len(plain.content) / 2
        assert packed.content == plain.content
        assert "content-encoding" not in plain.headers


async def test_the_policy_allows_our_own_files_and_the_import_map_and_nothing_else() -> None:
    async with browser() as client:
        page = await client.get("/")

    policy = dict(part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";"))
    [imports] = re.findall(r'<script type="importmap">(.*?)</script>', page.text)
    digest = base64.b64encode(hashlib.sha256(imports.encode()).digest()).decode()
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == f"'self' 'sha256-{digest}'"
    assert policy["style-src"] == policy["connect-src"] == policy["form-action"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in page.headers["content-security-policy"]
    assert len(re.findall("<script(?! src| type)", page.text)) == 0
    assert " style=" not in page.text


async def test_every_answer_tells_browsers_to_be_careful() -> None:
    async with browser() as client:
        for path in ("/", "/api/v1/jobs", f"/static/{FileCache().look().mark}/theme.js"):
            headers = (await client.get(path)).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"
            assert "frame-ancestors 'none'" in headers["content-security-policy"] or "static" in path
            assert headers["cross-origin-opener-policy"] == "same-origin"


async def test_it_may_be_mounted_anywhere() -> None:
    async with browser(Starlette(routes=[Mount("/queue", Site(api))])) as client:
        page = (await client.get("/queue/jobs")).text

        assert '<meta name="headrace-root" content="/queue">' in page
        [main] = re.findall(r'src="([^"]+/js/main\.js)"', page)
        assert main.startswith("/queue/static/")
        assert (await client.get(main)).status_code == 200
        assert (await client.get("/queue/api/v1/jobs")).text == "the API"


async def test_a_hostile_mount_stays_text() -> None:
    site = Site(api)

    async def mounted(scope: Scope, receive: Receive, send: Send) -> None:
        await site({**scope, "root_path": '/"><script>alert(1)</script>'}, receive, send)

    async with browser(mounted) as client:
        assert "<script>alert" not in (await client.get("/jobs")).text


def test_a_changed_file_changes_the_address_of_all(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("1")
    shelf = FileCache(tmp_path)
    before = shelf.look().mark
    assert shelf.look().mark == before

    (tmp_path / "a.js").write_text("22")

    assert shelf.look().mark != before
    assert shelf.files.by_name["a.js"].content == b"22"


@pytest.mark.parametrize("folder", FOLDERS, ids=["pages", "tests"])
def test_vendored_files_are_those_that_are_listed(folder: Path) -> None:
    listed = json.loads((folder / LIST).read_text("utf-8"))

    named = {name for package in listed["packages"] for name in package["files"]}
    assert named | {LIST} == {path.name for path in folder.iterdir()}
    assert listed["sha256"] == {name: sum_of(folder / name) for name in named}
    assert all(any(name.endswith("LICENSE") for name in package["files"]) for package in listed["packages"])


@pytest.mark.parametrize(
    "word", ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("]
)
def test_no_script_makes_markup_or_code_from_text(word: str) -> None:
    pattern = re.compile(rf"(?<![A-Za-z]){re.escape(word)}")
    found = [path.name for path in SCRIPTS if pattern.search(path.read_text("utf-8"))]
    found += [path.name for path in SCRIPTS if "dangerouslySet" in path.read_text("utf-8")]
    assert not found


def test_scripts_and_styles_stay_small() -> None:
    files = [*SCRIPTS, *(STATIC / "css").glob("*.css")]
    assert [path.name for path in files if len(path.read_text("utf-8").splitlines()) > 200] == []
