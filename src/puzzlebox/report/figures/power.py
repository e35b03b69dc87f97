"""The figure of power against the number of tasks, a line for each number of episodes or participants."""

from typing import TYPE_CHECKING

from puzzlebox.report import words
from puzzlebox.report.figures.looks import FAINT, INK, WIDTH, Drawing, new_figure
from puzzlebox.stats.extras import import_extra

if TYPE_CHECKING:
    from puzzlebox.report.power import PowerPlan

# From pale to dark blue, so that lines of larger numbers are darker.
_LIGHTEST, _DARKEST = (0.62, 0.79, 0.93), (0.03, 0.19, 0.42)
_MARKERS = "osD^vP*X"


def power_figure(plan: "PowerPlan") -> Drawing:
    """Draw the power of all simulated designs."""
    figure = new_figure(WIDTH, 3.7)
    axes = figure.subplots()
    for wanted in (0.8, 0.9):
        axes.axhline(wanted, color=INK, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
    last = max(1, len(plan.lines) - 1)
    for place, line in enumerate(plan.lines):
        colour = tuple(low + (high - low) * place / last for low, high in zip(_LIGHTEST, _DARKEST, strict=True))
        axes.plot(
            line.tasks,
            line.powers,
            color=colour,
            linewidth=1.8,
            marker=_MARKERS[place % len(_MARKERS)],
            markersize=5,
            markeredgecolor="white",
            markeredgewidth=0.6,
            label=plan.label(line).replace("; ", ";\n"),
            zorder=3,
        )
    axes.set_ylim(0, 1.02)
    axes.set_xlim(0, max(plan.lines[0].tasks) * 1.03)
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    axes.xaxis.set_major_locator(import_extra("matplotlib.ticker").MaxNLocator(integer=True))
    axes.set_xlabel("Tasks")
    axes.set_ylabel("Power")
    axes.set_title(
        f"To find a difference of {100 * plan.difference:.3g} percentage points ({plan.agents[0]} "
        f"{words.percent(plan.shares[0], 0)}, {plan.agents[1]} {words.percent(plan.shares[1], 0)})",
        fontsize=9,
        fontweight="normal",
    )
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(
        handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1.01, 0.5), title=plan.heading, alignment="left"
    )
    axes.grid(color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    return Drawing("power", "", figure)
