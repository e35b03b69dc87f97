"""Reports: episodes of agents and people compared, drawn, and told in words one can paste."""

from puzzlebox.report.making import Report, make_report
from puzzlebox.report.played import Played, Results, Source
from puzzlebox.report.reading import CannotRead, gather

__all__ = ["CannotRead", "Played", "Report", "Results", "Source", "gather", "make_report"]
