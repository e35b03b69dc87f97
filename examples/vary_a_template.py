"""Make a battery from one template: count it, draw from it, write it, train on it."""

from pathlib import Path

import puzzlebox
from puzzlebox.arena.variations import Template

TEMPLATE = """
metadata: {title: "Food ${metres} m ahead, ${side}"}
vary:
  metres: {range: [5, 30, 5]}
  x, side: [[12, left], [20, middle], [28, right]]
  colour: [red, blue, grey]
splits: {train: 0.8, test: 0.2}
arenas:
  - time_limit: 250
    items:
      - {name: Agent, at: [20, 0, 4], rotation: 0}
      - {name: Wall, at: [20, 0, 38], rotation: 0, size: [30, 2, 1], color: $colour}
      - {name: GoodGoal, at: [$x, 0, $metres + 4], size: 1}
"""
Path("distance.yml").write_text(TEMPLATE)

template = Template("distance.yml")
print(template.count, "variations:", {name: template.split(name).count for name in template.splits})

folder = Path("battery")
folder.mkdir(exist_ok=True)
for variation in template.sample(5, seed=1):
    (folder / f"{variation.stem()}.yml").write_text(variation.text)
    print(variation.stem(), variation.values)

# A template can be played without writing files: each episode draws a new variation.
env = puzzlebox.make(template, camera=None, rays=5)
for seed in range(3):
    observation, info = env.reset(seed=seed)
    print("seed", seed, info["variation"])

# To train on one split only, pass its tasks.
env = puzzlebox.make([variation.task for variation in template.split("train")], camera=None, rays=5)
