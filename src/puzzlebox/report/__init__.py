"""Reports on episodes of agents and participants: statistics, figures, tables, and a methods section."""

from puzzlebox.report.build import Report, make_report
from puzzlebox.report.episodes import ReportEpisode, Results, Source
from puzzlebox.report.sources import CannotRead, gather

__all__ = ["CannotRead", "Report", "ReportEpisode", "Results", "Source", "gather", "make_report"]
