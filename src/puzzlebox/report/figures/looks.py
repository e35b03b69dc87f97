"""The style of figures: colours for colour-blind readers, markers and hatches that work without colour, fonts."""

import io
import logging
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from puzzlebox.record.entries import HUMAN
from puzzlebox.report.figures.fonts import families_for
from puzzlebox.report.figures.lettering import shorten
from puzzlebox.stats.extras import import_extra

# The palette of Okabe and Ito (2008), colours with the best contrast on white first.
_PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
# Colours of agents that have the same one in every report.
_FIXED = {
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
# Fill and hatch colours of published results, which are always pale and hatched to differ from agents of the report.
_PALE, _HATCHED = ("#E4E4E4", "#F5F5F5", "#CFCFCF"), "#6A6A6A"
_HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "oo", "++", "**")
_MARKERS = "osD^vP*X"
WIDTH = 7.2  # inches: two columns of a journal
# Agents that a figure shows at most; its caption gives the number of all.
MOST_DRAWN = 60
INK, FAINT = "#222222", "#D9D9D9"
_STYLE = {
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
    "text.parse_math": False,  # dollar signs in names do not start formulas
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "hatch.linewidth": 0.6,
    "text.hinting": "none",  # hinted letters are up to a tenth narrower at some resolutions than at others
    "figure.dpi": 100,
    "pdf.fonttype": 42,  # journals require text instead of outlines
    "svg.hashsalt": "puzzlebox",
}


@dataclass(frozen=True)
class Look:
    """The colours, hatch, marker and label of one agent in all figures of a report."""

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
    """Choose a look for each agent of a report; with more agents than colours, hatches and markers differ."""
    labels = shorten(agents)
    fixed = {agent: _FIXED[agent] for agent in agents if agent in _FIXED}
    free = [colour for colour in _PALETTE if colour not in fixed.values()] or list(_PALETTE)
    chosen = {}
    others = 0
    for index, agent in enumerate(agents):
        if agent in fixed:
            colour, hatch, marker = fixed[agent], "", _MARKERS[index % len(_MARKERS)]
        else:
            # Each time that all colours were used, hatches and markers move on: no two of 48 agents look the same.
            turn, place = divmod(others, len(free))
            colour, hatch = free[place], _HATCHES[turn % len(_HATCHES)]
            marker = _MARKERS[(len(fixed) + place + turn) % len(_MARKERS)]
            others += 1
        edge = "white" if hatch else INK
        chosen[agent] = Look(colour, hatch, edge, marker, labels[agent])
    return chosen


def published_looks(names: Sequence[str]) -> dict[str, Look]:
    """Choose a look for each published result."""
    return {
        name: Look(
            _PALE[index % len(_PALE)],
            _HATCHES[1 + index % (len(_HATCHES) - 1)],
            _HATCHED,
            _MARKERS[index % len(_MARKERS)],
            f"{name} (published)",
        )
        for index, name in enumerate(names)
    }


@contextmanager
def style(names: Iterable[str] = ()) -> Iterator[None]:
    """Apply the style of reports to all figures drawn inside this context.

    Args:
        names: the names that figures will show, for which installed fonts are chosen.
    """
    matplotlib = import_extra("matplotlib")
    with matplotlib.rc_context(), warnings.catch_warnings():
        # `shorten` replaces letters that no font has; a title that is no name may still have one.
        warnings.filterwarnings("ignore", "Glyph .* missing")
        # Fonts of other scripts often have no bold letters; then the others serve.
        font_log = logging.getLogger("matplotlib.font_manager")
        level = font_log.level
        font_log.setLevel(logging.ERROR)
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE | {"font.family": families_for(names)})
        try:
            yield
        finally:
            font_log.setLevel(level)


def new_figure(width: float, height: float) -> Any:
    """Create an empty figure without pyplot, whose state is global and not safe for threads."""
    return import_extra("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")


def png(figure: Any, paper: Any, dpi: int) -> bytes:
    """Return an area of a figure as PNG; the bytes are reproducible."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=dpi, bbox_inches=paper, metadata={"Software": None})
    return out.getvalue()


def save(drawing: Drawing, folder: Path) -> tuple[bytes, list[Path]]:
    """Write a figure as PNG (300 dpi) and PDF; return a smaller PNG for the page, and the paths."""
    figure = drawing.figure
    # Laid out once for all formats: the layout takes longer than drawing.
    figure.draw_without_rendering()
    figure.set_layout_engine(None)  # "none" would leave a placeholder, for which each format is drawn twice
    paths = [folder / f"{drawing.name}.png", folder / f"{drawing.name}.pdf"]
    paper = _paper(figure)
    picture = png(figure, paper, 300)
    paths[0].write_bytes(picture)
    no_metadata = {"CreationDate": None, "Producer": None, "Creator": None}
    figure.savefig(paths[1], format="pdf", bbox_inches=paper, metadata=no_metadata)
    return _smaller(picture, 170 / 300), paths


def _smaller(picture: bytes, share: float) -> bytes:
    """Return a PNG with fewer pixels, which takes a fraction of the time of drawing the figure again."""
    image = import_extra("PIL.Image").open(io.BytesIO(picture)).convert("RGB")
    out = io.BytesIO()
    size = [max(round(side * share), 1) for side in image.size]
    image.resize(size, import_extra("PIL.Image").Resampling.LANCZOS).save(out, "PNG", optimize=False)
    return out.getvalue()


def _paper(figure: Any) -> Any:
    """Return the area to save: the figure, extended where wide labels reach beyond its edge."""
    return import_extra("matplotlib.transforms").Bbox.union([figure.bbox_inches, figure.get_tightbbox()])
