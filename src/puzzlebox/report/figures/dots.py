"""Dot plots of the proportion passed by many agents: a row for each agent, a panel for each level or task."""

from collections.abc import Mapping, Sequence
from math import ceil

from puzzlebox.report.figures.lettering import letters_in, lines_of, text_width, wrap
from puzzlebox.report.figures.looks import FAINT, INK, MOST_DRAWN, Drawing, Look, new_figure
from puzzlebox.stats import Interval

# Inches: the height of a row, the width of a panel at least and at most, and the width of the figure at most.
_ROW, _NARROWEST, _BROADEST, _WIDEST = 0.17, 0.66, 1.8, 10.0
_POINTS = 8


def pass_dots(
    agents: Sequence[tuple[Look, Sequence[Interval | None]]],
    categories: Sequence[str],
    titles: Mapping[str, str],
    lines: Mapping[str, Mapping[str, float]],
    name: str,
    caption: str,
) -> Drawing:
    """Draw proportions as points with their intervals; a panel without a point was not played.

    Args:
        agents: the look of each agent, and its proportion in each category, or None.
        categories: the levels or tasks.
        titles: the title of the panel of each category.
        lines: proportions drawn as vertical lines, by name and category.
        name: the name of the file.
        caption: the caption of the figure.
    """
    if len(agents) > MOST_DRAWN:
        caption += f" The first {MOST_DRAWN} of {len(agents)} agents are shown."
        agents = agents[:MOST_DRAWN]
    side = text_width([look.label for look, _ in agents], _POINTS) + 0.2
    columns = min(len(categories), max(1, int((_WIDEST - side) / _NARROWEST)))
    rows = ceil(len(categories) / columns)
    columns = ceil(len(categories) / rows)
    width = min(_BROADEST, (_WIDEST - side) / columns)
    heads = {each: wrap(titles[each], letters_in(width, 9, "bold")) for each in categories}
    height = rows * (_ROW * len(agents) + 0.5 + 0.17 * lines_of(heads.values())) + 0.2 * bool(lines) + 0.2
    figure = new_figure(side + width * columns, height)
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    for index, (panel, category) in enumerate(zip(panels.ravel(), categories, strict=False)):
        played = [(row, look, own[index]) for row, (look, own) in enumerate(agents)]
        shown = [(row, look, each) for row, look, each in played if each is not None]
        panel.hlines(
            [row for row, _, _ in shown],
            [each.low for *_, each in shown],
            [each.high for *_, each in shown],
            colors=[look.colour for _, look, _ in shown],
            linewidth=1.4,
        )
        panel.scatter(
            [each.value for *_, each in shown],
            [row for row, _, _ in shown],
            s=15,
            c=[look.colour for _, look, _ in shown],
            edgecolors=INK,
            linewidths=0.4,
            zorder=3,
            clip_on=False,
        )
        for style, (label, rates) in zip(("solid", (0, (4, 1.5))), lines.items(), strict=False):
            panel.axvline(rates[category], color=INK, linewidth=1.0, linestyle=style, label=label, zorder=1)
        panel.set_title(heads[category], fontsize=9)
        panel.tick_params(axis="y", length=0)
        panel.tick_params(axis="x", labelbottom=True)
        panel.grid(color=FAINT, linewidth=0.5)
        panel.set_axisbelow(True)
    first = panels[0][0]
    first.set_xlim(-0.03, 1.03)
    first.set_xticks([0, 0.5, 1], ["0", "50", "100"], fontsize=7)
    first.set_yticks(range(len(agents)), [look.label for look, _ in agents], fontsize=_POINTS)
    first.set_ylim(len(agents) - 0.4, -0.6)
    for panel in panels.ravel()[len(categories) :]:
        panel.set_visible(False)
    figure.supxlabel("Passed (%)", fontsize=9)
    if lines:
        handles, labels = first.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper right", ncols=2)
    return Drawing(name, caption, figure)
