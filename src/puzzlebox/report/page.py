"""The page of a report: one HTML file with embedded figures, no scripts and no external resources."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape

from puzzlebox.report.contents import Contents, Section
from puzzlebox.report.figures.looks import Drawing
from puzzlebox.report.tables import Table

# Characters up to which a cell is not broken into lines.
_SHORT = 34
_EMPTY_CELLS = ("–", "– (–)")

_CSS = """
:root { color-scheme: light; }
body { margin: 0 auto; max-width: 62rem; padding: 2.5rem 1.5rem 5rem; background: #fff; color: #1b1b1b;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .8rem; padding-top: .8rem; border-top: 1px solid #d0d0d0; }
p, li { max-width: 46rem; }
.lead p { margin: .2rem 0; }
nav { margin: 1.2rem 0; font-size: .92rem; }
nav a { color: #0b5394; margin-right: 1.1rem; white-space: nowrap; }
.warnings { border-left: 4px solid #d55e00; background: #fdf3ec; padding: .8rem 1.1rem; margin: 1.5rem 0; }
.warnings h2 { border: 0; margin: 0 0 .3rem; padding: 0; font-size: 1.05rem; }
.warnings ul { margin: 0; padding-left: 1.1rem; }
figure { margin: 1.6rem 0; }
figure img { max-width: 100%; height: auto; display: block; }
figcaption, caption { text-align: left; font-size: .92rem; color: #444; max-width: 46rem; padding: .35rem 0; }
.wide { overflow-x: auto; margin: 1.4rem 0; }
table { border-collapse: collapse; font-size: .92rem; border-top: 2px solid #1b1b1b; border-bottom: 2px solid #1b1b1b; }
caption { caption-side: top; max-width: min(46rem, calc(100vw - 3rem)); }
th { text-align: left; font-weight: 600; border-bottom: 1px solid #1b1b1b; padding: .3rem .9rem .3rem 0;
  vertical-align: bottom; }
td { padding: .22rem .9rem .22rem 0; vertical-align: top; font-variant-numeric: tabular-nums; }
th.n, td.n { text-align: right; } td.n, td.s { white-space: nowrap; }
th { max-width: 7.5rem; }
.more { font-size: .88rem; color: #555; margin: .3rem 0 0; }
pre { background: #f4f4f4; padding: .8rem 1rem; overflow-x: auto; font-size: .9rem; white-space: pre-wrap; }
code { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; }
/* A printed page cannot scroll, so tables are smaller there and long names break. */
@media print { body { max-width: none; padding: 0; font-size: 11pt; } nav { display: none; }
  figure, table, tr { break-inside: avoid; } h2, caption { break-after: avoid; }
  .wide, pre { overflow: visible; overflow-wrap: anywhere; } table { font-size: 8pt; }
  th { max-width: 6em; overflow-wrap: normal; } th, td { padding-right: .8em; }
  td { min-width: 7em; } td.n { min-width: 0; } td.s { white-space: normal; } }
"""
# The policy allows only the style and the pictures that are part of the page: no scripts, forms or requests.
_STYLE = b64encode(sha256(_CSS.encode()).digest()).decode()
_POLICY = f"default-src 'none'; img-src data:; style-src 'sha256-{_STYLE}'; base-uri 'none'; form-action 'none'"


def page(
    title: str,
    contents: Contents,
    pictures: Mapping[str, bytes],
    methods: Sequence[str],
    commands: Sequence[str],
    settings: Sequence[tuple[str, str, str]],
    files: Sequence[str],
) -> str:
    """Return the page as HTML.

    Args:
        title: its heading.
        contents: the contents of the report.
        pictures: each figure as PNG, by name.
        methods: the paragraphs of the methods section.
        commands: the commands that reproduce the report.
        settings: run, name and value of each setting.
        files: the names of the files beside the page.
    """
    numbers = _Numbers()
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<div class='lead'>{''.join(f'<p>{escape(line)}</p>' for line in contents.headline)}</div>",
    ]
    if contents.warnings:
        items = "".join(f"<li>{escape(line)}</li>" for line in contents.warnings)
        parts.append(f"<div class='warnings'><h2>Warnings about the data</h2><ul>{items}</ul></div>")
    titles = [*(section.title for section in contents.sections), "Methods", "Reproduction"]
    parts.append(
        "<nav>" + " ".join(f"<a href='#s{index}'>{escape(each)}</a>" for index, each in enumerate(titles)) + "</nav>"
    )
    for index, section in enumerate(contents.sections):
        parts.append(_section(section, index, pictures, numbers))
    index = len(contents.sections)
    parts.append(
        f"<section id='s{index}'><h2>Methods</h2>"
        + "".join(f"<p>{escape(each)}</p>" for each in methods)
        + "</section>"
    )
    parts.append(
        f"<section id='s{index + 1}'><h2>Reproduction</h2><pre><code>{escape(chr(10).join(commands))}</code></pre>"
    )
    if settings:
        rows = "".join(
            f"<tr><td>{escape(run)}</td><td>{escape(name)}</td><td>{escape(value)}</td></tr>"
            for run, name, value in settings
        )
        head = "<tr><th>run</th><th>setting</th><th>value</th></tr>"
        parts.append(
            "<details><summary>All settings of the runs</summary>"
            f"<div class='wide'><table>{head}{rows}</table></div></details>"
        )
    parts.append(
        "<p>Files beside this page: " + ", ".join(f"<code>{escape(each)}</code>" for each in files) + ".</p></section>"
    )
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<meta http-equiv='Content-Security-Policy' content=\"{_POLICY}\">"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{_CSS}</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


class _Numbers:
    """Numbers figures and tables in the order of the page."""

    def __init__(self) -> None:
        self._last = {"Figure": 0, "Table": 0}

    def next(self, kind: str) -> str:
        self._last[kind] += 1
        return f"<b>{kind} {self._last[kind]}.</b>"


def _section(section: Section, index: int, pictures: Mapping[str, bytes], numbers: _Numbers) -> str:
    parts = [f"<section id='s{index}'><h2>{escape(section.title)}</h2>"]
    for block in section.blocks:
        if isinstance(block, Table):
            parts.append(_table(block, numbers))
        elif isinstance(block, Drawing):
            parts.append(_figure(block, pictures[block.name], numbers))
        else:
            parts.append(f"<p>{escape(block)}</p>")
    return "\n".join([*parts, "</section>"])


def _figure(drawing: Drawing, picture: bytes, numbers: _Numbers) -> str:
    width = round(drawing.figure.get_figwidth() * 118)
    source = f"data:image/png;base64,{b64encode(picture).decode()}"
    return (
        f"<figure><img src='{source}' width='{width}' alt='{escape(drawing.caption, quote=True)}'>"
        f"<figcaption>{numbers.next('Figure')} {escape(drawing.caption)}</figcaption></figure>"
    )


def _table(table: Table, numbers: _Numbers) -> str:
    if not table.rows or not table.most:
        return ""
    shown = table.rows[: _shown_rows(table)]
    cells = [[make(row) for _, make in table.columns] for row in shown]
    # Columns without any value are left out.
    filled = [any(line[index] not in _EMPTY_CELLS for line in cells) for index in range(len(table.columns))]
    cells = [[cell for cell, keep in zip(line, filled, strict=True) if keep] for line in cells]
    names = [name for (name, _), keep in zip(table.columns, filled, strict=True) if keep]
    right = [all(_numeric(line[index]) for line in cells) for index in range(len(names))]
    kinds = [" class='n'" if each else "" for each in right]
    head = "".join(f"<th{kind}>{escape(name)}</th>" for kind, name in zip(kinds, names, strict=True))
    body = ""
    for above, line in zip([[""], *cells], cells, strict=False):
        # A name that the row above has as well is not repeated.
        shown_line = ["" if table.ditto and line[0] == above[0] else line[0], *line[1:]]
        tagged = zip(kinds, shown_line, strict=True)
        row = "".join(f"<td{_kind(kind, cell)}>{escape(cell)}</td>" for kind, cell in tagged)
        body += f"<tr>{row}</tr>"
    more = ""
    if len(table.rows) > len(shown):
        more = (
            f"<p class='more'>The first {len(shown)} of {len(table.rows)} rows are shown; "
            f"all are in tables/{table.name}.csv.</p>"
        )
    return (
        f"<div class='wide'><table><caption>{numbers.next('Table')} {escape(table.caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</div>"
    )


def _shown_rows(table: Table) -> int:
    """Return how many rows the page shows; rows that share their first cell, such as those of a task, stay together."""
    most = min(table.most, len(table.rows))
    if not table.ditto or most == len(table.rows):
        return most
    first = table.columns[0][1]
    names = [first(row) for row in table.rows]
    start = most
    while start and names[start - 1] == names[most]:
        start -= 1
    # A group that is longer than the limit is shown whole.
    return start or next((index for index, name in enumerate(names) if name != names[0]), len(names))


def _kind(kind: str, cell: str) -> str:
    return kind or (" class='s'" if len(cell) <= _SHORT else "")


def _numeric(cell: str) -> bool:
    return cell[:1] in "0123456789−–.<∞" and not any(letter.isalpha() or letter == "-" for letter in cell)
