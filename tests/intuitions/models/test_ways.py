import numpy as np
import pytest

torch = pytest.importorskip("torch")

from puzzlebox.intuitions.episodes.planner import planner_for  # noqa: E402
from puzzlebox.intuitions.grid import centre  # noqa: E402
from puzzlebox.intuitions.models.leg_table import NODES, halves_of  # noqa: E402
from puzzlebox.intuitions.models.ways import FORBIDDEN, Affordance, distance_fields, lengths_at  # noqa: E402

WALLS = frozenset([(4, 3), (4, 4), (4, 5), (4, 6), (7, 2), (2, 7)])
BORDER = frozenset((i, j) for i in range(10) for j in range(10) if i in (0, 9) or j in (0, 9))


def node_costs(walls):
    """Return what a perfectly trained affordance gives: no node at which a blocked half cell has a corner is free."""
    blocked = halves_of(walls | BORDER)
    around = [blocked[y : y + NODES, x : x + NODES] for y in (0, 1) for x in (0, 1)]
    return torch.from_numpy(np.any(around, axis=0)).float()[None] * FORBIDDEN


@pytest.mark.parametrize("walls", [frozenset(), WALLS])
def test_lengths_are_those_of_the_planner_within_some_per_cent(walls):
    goal = (7, 5)
    costs = node_costs(walls)
    field = distance_fields(costs, torch.tensor([centre(goal)], dtype=torch.float32))
    cells = [(x, y) for x in range(1, 9) for y in range(1, 9) if (x, y) not in walls]
    places = np.array([centre(cell) for cell in cells])
    lengths = lengths_at(field, costs, torch.tensor(places, dtype=torch.float32)[None])[0].numpy()
    exact = planner_for(walls).field(centre(goal)).lengths(places)
    assert (lengths >= exact * 0.93 - 1).all()
    assert (lengths <= exact * 1.08 + 3).all()


def test_an_enclosed_goal_is_far_away():
    ring = frozenset((x, y) for x in (4, 5, 6) for y in (4, 5, 6) if (x, y) != (5, 5))
    costs = node_costs(ring)
    field = distance_fields(costs, torch.tensor([centre((5, 5))], dtype=torch.float32))
    place = torch.tensor([[centre((2, 2))]], dtype=torch.float32)
    assert float(lengths_at(field, costs, place)) > 500


def test_the_affordance_learns_where_agents_never_are():
    torch.manual_seed(0)
    net = Affordance()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    walls = torch.from_numpy(np.stack([halves_of(WALLS | BORDER)] * 8))
    barrier = torch.zeros_like(walls)
    barrier[4:, 8:12, 12:16] = True
    open_nodes = node_costs(WALLS)[0] == 0
    free = open_nodes.expand(8, -1, -1).clone()
    # A node touches the barrier if one of the four half cells around it does.
    for y in (0, 1):
        for x in (0, 1):
            free &= ~barrier[:, y : y + NODES, x : x + NODES]
    rng = torch.Generator().manual_seed(0)
    for _ in range(150):
        visited = free & (torch.rand(free.shape, generator=rng) < 0.1)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(walls, barrier), visited.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        costs = net.costs(walls, barrier)
    assert costs[free].max() < 3
    assert costs[~free].min() > 20
