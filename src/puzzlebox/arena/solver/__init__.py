"""Finds actions that pass a task, with full knowledge of its world: go, climb, push, press, wait."""

from puzzlebox.arena.solver.plan import Plan as Plan
from puzzlebox.arena.solver.solve import solve as solve
