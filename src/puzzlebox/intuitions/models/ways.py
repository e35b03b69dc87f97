"""Shortest ways on a grid of nodes, for many scenes at once: value iteration with costs that a network gives.

Nodes lie every ten pixels; a step leads to one of sixteen neighbours, those of a knight on a chessboard included, so
that a way at any angle is at most 3 % too long. A step costs its length, more where the network says that agents do
not go.
"""

import math

import torch
from torch import Tensor, nn

from puzzlebox.intuitions.models.leg_table import NODES, SPACING

_STEPS = [(dx, dy) for dx in (-2, -1, 0, 1, 2) for dy in (-2, -1, 0, 1, 2) if math.gcd(dx, dy) == 1]
_PAD = 2
# What a node costs that no agent was ever at, in steps, and more than any way.
FORBIDDEN, FAR = 30.0, 1e4
_ITERATIONS = 60


class Affordance(nn.Module):
    """Learns where agents can be: from the four half cells around a node (wall, barrier, free) to a rate of visits."""

    def __init__(self, hidden: int = 32) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(8, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )

    def forward(self, walls: Tensor, barrier: Tensor) -> Tensor:
        """Return the logarithm of the odds of a visit at each node, n x 19 x 19."""
        maps = torch.stack((walls, barrier), 1).float()
        around = [maps[:, :, y : y + NODES, x : x + NODES] for y in (0, 1) for x in (0, 1)]
        odds: Tensor = self.net(torch.cat(around, 1).permute(0, 2, 3, 1))[..., 0]
        return odds

    def costs(self, walls: Tensor, barrier: Tensor) -> Tensor:
        """Return what each node costs beyond its length, in steps: 0 where visits are usual, 30 where none are."""
        odds = self(walls, barrier)
        usual = self(torch.zeros_like(walls[:1]), torch.zeros_like(barrier[:1]))[:, :1, :1]
        # A tenth of the usual rate is no reason to think that agents cannot be there.
        return FORBIDDEN * torch.sigmoid(2.0 * (usual - odds - math.log(30.0)))


def distance_fields(costs: Tensor, goals: Tensor) -> Tensor:
    """Return the cost of the cheapest way from each node to a goal in pixels, n x 19 x 19.

    Args:
        costs: n x 19 x 19, the additional cost of each node.
        goals: n x 2, the centres of the goals in pixels.
    """
    rows = (torch.arange(NODES, device=costs.device) + 1.0) * SPACING
    x, y = goals[:, 0, None, None], goals[:, 1, None, None]
    near = torch.hypot(rows[None, None, :] - x, rows[None, :, None] - y)
    # Ways begin at the nodes right beside the goal.
    field = torch.where(near < 0.99 * SPACING, near, FAR)
    wide_costs = nn.functional.pad(costs, (_PAD,) * 4, value=FORBIDDEN)
    edges = []
    for dx, dy in _STEPS:
        length = math.hypot(dx, dy)
        between = [(dx, dy)] if length < 2 else [(dx, dy), *_flank(dx, dy)]
        here = costs + sum(_shift(wide_costs, *each) for each in between) / len(between)
        edges.append(SPACING * length * (1 + here / 2))
    steps = torch.stack(edges, 1)
    for iteration in range(_ITERATIONS):
        wide = nn.functional.pad(field, (_PAD,) * 4, value=FAR)
        through = torch.stack([_shift(wide, dx, dy) for dx, dy in _STEPS], 1)
        shorter = torch.minimum(field, (through + steps).amin(1))
        if iteration % 4 == 3 and torch.equal(shorter, field):
            break
        field = shorter
    return field


def _flank(dx: int, dy: int) -> list[tuple[int, int]]:
    """Return the two nodes that a knight's step passes between."""
    along = (dx // 2, 0) if abs(dx) == 2 else (0, dy // 2)
    across = (0, dy) if abs(dx) == 2 else (dx, 0)
    return [along, (along[0] + across[0], along[1] + across[1])]


def _shift(wide: Tensor, dx: int, dy: int) -> Tensor:
    """Return the values of each node's neighbour, from a padded map."""
    return wide[..., _PAD + dy : _PAD + dy + NODES, _PAD + dx : _PAD + dx + NODES]


def lengths_at(fields: Tensor, costs: Tensor, places: Tensor) -> Tensor:
    """Return the length of the cheapest way from places in pixels: by the best of the four nodes around each.

    Args:
        fields: n x 19 x 19.
        costs: n x 19 x 19.
        places: n x p x 2.
    """
    low = (places / SPACING).floor().long() - 1
    row = torch.arange(len(fields), device=fields.device)[:, None]
    best = None
    for dx in (0, 1):
        for dy in (0, 1):
            column = (low[..., 0] + dx).clamp(0, NODES - 1)
            line = (low[..., 1] + dy).clamp(0, NODES - 1)
            nodes = torch.stack((column, line), -1)
            away = (places - (nodes + 1) * SPACING).norm(dim=-1)
            # The agent is where it is: only what the node costs beyond its half counts.
            length = fields[row, line, column] + away * (1 + costs[row, line, column] / 2)
            best = length if best is None else torch.minimum(best, length)
    assert best is not None
    return best
