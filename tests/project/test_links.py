"""Links lead somewhere: from page to page, from the source to the pages, and in the site that is built of them."""

import http.server
import re
import shutil
import subprocess
import sys
from functools import cache, partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

import browser
from conftest import ROOT

DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
FOLDERS = ("src", "tests", "native", "web/src", "tools", "benchmarks", "examples")
KINDS = {".py", ".ts", ".svelte", ".cpp", ".h", ".inc", ".yml", ".css", ""}
# A page that is named in words, with or without a section, and any path below docs/; not the part of a path that a
# program puts together.
CITED = re.compile(
    r"""(?:(?<![\w/.\-"'*{}])(?=[\w/-]+\.md\b(?:#[\w-]+)?(?!["']))|(?=docs/))((?:[\w-]+/)*[\w-]+\.md)\b(#[\w-]+)?"""
)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def without_code(text: str) -> str:
    """A page without its blocks of code, in which brackets and `#` mean something else."""
    return re.sub(r"^```.*?^```|`[^`\n]*`", "`code`", text, flags=re.DOTALL | re.MULTILINE)


@cache
def anchors(page: Path) -> frozenset[str]:
    """The sections of a page, as GitHub and the site name them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#{1,6} (.+)$", text, flags=re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return frozenset(re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in plain)


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        place, _, section = target.partition("#")
        file = page.parent / place if place else page
        if not file.exists() or (section and section not in anchors(file.resolve())):
            found.append(target)
    return found


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A page's `own` part\n[a](#a-pages-own-part) [b](#b) [c](c.md) `[d](d.md)`\n```\n[e](e.md)\n```\n"
    )
    assert broken(page) == ["#b", "c.md"]


def test_pages_named_in_the_source_are_in_the_repository() -> None:
    lost = []
    for folder in FOLDERS:
        for file in (ROOT / folder).rglob("*"):
            if file.suffix not in KINDS or not file.is_file() or {"__pycache__", "static"} & set(file.parts):
                continue
            for match in CITED.finditer(file.read_text(encoding="utf-8", errors="ignore")):
                page, section = ROOT / match[1], (match[2] or "")[1:]
                if file != Path(__file__) and not (page.exists() and (not section or section in anchors(page))):
                    lost.append(f"{name(file)}: {match[0]}")
    assert lost == []


def entries(nav: list[Any]) -> list[str]:
    """The pages of a navigation, in its order."""
    found = []
    for each in nav:
        for value in each.values() if isinstance(each, dict) else [each]:
            found += entries(value) if isinstance(value, list) else [value]
    return found


def test_every_page_is_in_the_navigation() -> None:
    text = re.sub(r"slugify: !!python/\S+ \{.*?\}\}", "slugify: x", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    listed = entries(yaml.safe_load(text)["nav"])
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    # Pages of single things are reached from their table.
    things = {page for page in pages if page.startswith("reference/things/") and not page.endswith("README.md")}
    assert sorted(listed) == sorted(pages - things), "every page has its line under `nav` in mkdocs.yml"


def test_the_site_has_the_icon_of_the_studio() -> None:
    assert (DOCS / "images" / "icon.svg").read_bytes() == (ROOT / "web" / "public" / "icon.svg").read_bytes()


# --- the site


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """Build the site of a copy of the documentation, as `make docs` does."""
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(ROOT / "mkdocs.yml", folder)
    shutil.copytree(DOCS, folder / "docs")
    out = build(folder)
    assert out.returncode == 0, out.stdout + out.stderr
    return folder / "build" / "site"


def test_the_site_has_every_page_and_fetches_nothing(site: Path) -> None:
    for page in DOCS.rglob("*.md"):
        place = page.relative_to(DOCS).with_suffix(".html")
        assert (site / (place.with_name("index.html") if page.name == "README.md" else place)).is_file(), place
    fetched = re.compile(r"""<(?:script|img|link|iframe)[^>]*(?:src|href)=["']?(?:https?:)?//[^"'> ]*""")
    found = {match for page in site.rglob("*.html") for match in fetched.findall(page.read_text(encoding="utf-8"))}
    assert found == set()
    assert "url(http" not in "".join(css.read_text(encoding="utf-8") for css in site.rglob("*.css"))


def test_the_search_finds_a_page_from_a_folder_and_from_a_server(site: Path, chromium: Any) -> None:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    patience = browser.TIMEOUT_SECONDS * 1000
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        for start in (site.as_uri(), f"http://127.0.0.1:{server.server_port}"):
            page = chromium.new_page()
            asked: list[str] = []
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.goto(f"{start}/guides/agents.html")
            page.get_by_role("button", name="Search").first.click(timeout=patience)
            page.get_by_role("combobox").fill("hot zone", timeout=patience)
            page.locator("a[href*=HotZone]").first.click(timeout=patience)
            page.wait_for_url("**/reference/things/HotZone.html*", timeout=patience)
            assert [url for url in asked if not url.startswith((start, "data:", "blob:"))] == []
            page.close()
        server.shutdown()
