"""How figures look: colours the colour-blind tell apart, marks that need no colour, type that survives printing."""

import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from puzzlebox.record.entries import HUMAN
from puzzlebox.report.figures.lettering import shortened
from puzzlebox.stats.needed import needed

# Okabe and Ito (2008), the ones that stand on white first.
_PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
# Known names look alike in every report.
_KNOWN = {
    "random": "#8C8C8C",
    "heuristic": "#0072B2",
    HUMAN: "#000000",
    "children": "#000000",
    "PPO": "#CC79A7",
    "ppo": "#CC79A7",
    "Dreamer-v3": "#009E73",
    "dreamer-v3": "#009E73",
    "ironbar": "#D55E00",
    "Trrrrr": "#F0E442",
}
# Published results are pale and hatched, whoever they are of, and so are never taken for an agent of the report.
_PALE, _HATCHED = ("#E4E4E4", "#F5F5F5", "#CFCFCF"), "#6A6A6A"
_HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "oo", "++", "**")
_MARKERS = "osD^vP*X"
WIDTH = 7.2  # inches: two columns of a journal
INK, FAINT = "#222222", "#D9D9D9"
_STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "text.color": INK,
    "text.parse_math": False,  # a name with dollars in it is no formula
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "hatch.linewidth": 0.6,
    "figure.dpi": 100,
    "pdf.fonttype": 42,  # text stays text, as journals ask
    "svg.hashsalt": "puzzlebox",
}


@dataclass(frozen=True)
class Look:
    """How one agent looks, and what it is called, in all figures of a report."""

    colour: str
    hatch: str
    edge: str
    marker: str
    label: str


Looks = Mapping[str, Look]


@dataclass(frozen=True)
class Drawing:
    """A figure of a report: the name of its files, its caption, and matplotlib's figure."""

    name: str
    caption: str
    figure: Any


def looks(agents: Sequence[str]) -> dict[str, Look]:
    """A look for each agent of a report; with more agents than colours, hatches and markers tell them apart."""
    labels = shortened(agents)
    given = {agent: _KNOWN[agent] for agent in agents if agent in _KNOWN}
    free = [colour for colour in _PALETTE if colour not in given.values()] or list(_PALETTE)
    chosen = {}
    others = 0
    for place, agent in enumerate(agents):
        if agent in given:
            colour, hatch = given[agent], ""
        else:
            colour, hatch = free[others % len(free)], _HATCHES[others // len(free) % len(_HATCHES)]
            others += 1
        edge = "white" if hatch else INK
        chosen[agent] = Look(colour, hatch, edge, _MARKERS[place % len(_MARKERS)], labels[agent])
    return chosen


def published_looks(names: Sequence[str]) -> dict[str, Look]:
    """A look for each published result."""
    return {
        name: Look(
            _PALE[place % len(_PALE)],
            _HATCHES[1 + place % (len(_HATCHES) - 1)],
            _HATCHED,
            _MARKERS[place % len(_MARKERS)],
            f"{name} (published)",
        )
        for place, name in enumerate(names)
    }


@contextmanager
def style() -> Iterator[None]:
    """Everything drawn inside looks like the house."""
    matplotlib = needed("matplotlib")
    with matplotlib.rc_context(), warnings.catch_warnings():
        # A letter the font lacks is drawn as a box, which says as much.
        warnings.filterwarnings("ignore", "Glyph .* missing")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def new_figure(width: float, height: float) -> Any:
    """An empty figure; not of pyplot, so that nothing is left behind and threads do not meet."""
    return needed("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")


def png(figure: Any, dpi: int = 200) -> bytes:
    """A figure as PNG, the same bytes each time."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=dpi, bbox_inches=_paper(figure), metadata={"Software": None})
    return out.getvalue()


def save(drawing: Drawing, folder: Path) -> tuple[bytes, list[Path]]:
    """Write a figure as PNG (300 dots an inch) and PDF; what comes back is a smaller PNG for the page."""
    figure = drawing.figure
    # Laid out once instead of for each format, which takes longer than drawing.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    paths = [folder / f"{drawing.name}.png", folder / f"{drawing.name}.pdf"]
    paths[0].write_bytes(png(figure, 300))
    nameless = {"CreationDate": None, "Producer": None, "Creator": None}
    figure.savefig(paths[1], format="pdf", bbox_inches=_paper(figure), metadata=nameless)
    return png(figure, 170), paths


def _paper(figure: Any) -> Any:
    """What is printed: the figure, and where unusually wide letters reach over its edge, that too."""
    return needed("matplotlib.transforms").Bbox.union([figure.bbox_inches, figure.get_tightbbox()])
