"""The gates of the infant's items: scores of the oracle, of doing nothing and of acting at random.

`python -m benchmarks.infant_items --seeds 20` plays every item with both kinds of control; it takes long. Options
choose items, modes and policies.
"""

import argparse
import time

from puzzlebox.infant.items.catalogue import ITEMS, item_named
from puzzlebox.infant.items.gates import measure
from puzzlebox.infant.items.item import Mode
from puzzlebox.infant.items.policies import POLICIES


def main() -> None:
    """Print one line for each item, mode and policy."""
    parser = argparse.ArgumentParser(description="Measure the gates of the infant's items.")
    parser.add_argument("--seeds", type=int, default=20, help="administrations of each policy")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--items", type=int, nargs="*", default=list(ITEMS), help="numbers of items")
    parser.add_argument("--modes", nargs="*", default=[mode.value for mode in Mode], help="joints, primitives")
    parser.add_argument("--policies", nargs="*", default=list(POLICIES), help="policies")
    options = parser.parse_args()
    print(f"{'item':4} {'mode':10} {'policy':8} {'seeds':>5} {'0':>4} {'1':>4} {'2':>4}  gate    seconds")
    for number in options.items:
        for mode in map(Mode, options.modes):
            for policy in options.policies:
                start = time.perf_counter()
                seeds = range(options.first, options.first + options.seeds)
                (gate,) = measure(item_named(number), mode, [policy], seeds)
                counts = [gate.scores.count(score) for score in range(3)]
                spent = time.perf_counter() - start
                row = f"{number:4} {mode.value:10} {policy:8} {len(gate.scores):5}"
                row += "".join(f" {count:4}" for count in counts)
                print(f"{row}  {'open' if gate.open else 'CLOSED':6} {spent:8.0f}", flush=True)


if __name__ == "__main__":
    main()
