"""Reports: episodes of agents and people compared, drawn, and told in words one can paste."""

from puzzlebox.lab.report.making import Report, make_report
from puzzlebox.lab.report.played import Played, Results, Source
from puzzlebox.lab.report.reading import CannotRead, gather

__all__ = ["CannotRead", "Played", "Report", "Results", "Source", "gather", "make_report"]
