"""Show what an agent senses: picture, depth, things and rays, side by side in one PNG file."""

from pathlib import Path

import numpy as np

import puzzlebox
from puzzlebox.scene.png import png

env = puzzlebox.make("obstacles/the-tunnel", camera=128, depth=True, segments=True, rays=9)
observation, info = env.reset(seed=1)
for _ in range(5):
    observation, *_, info = env.step(3)

names = dict(info["things"])
visible = {names.get(number, "surroundings") for number in np.unique(observation["segments"]).tolist()}
print("in sight:", ", ".join(sorted(visible)))
print("nearest surface:", f"{observation['depth'].min():.2f} m")
for angle, ray in zip(("ahead", "right", "left"), observation["rays"].reshape(9, -1), strict=False):
    tag = info["ray_tags"][ray[:-2].argmax()] if ray[:-2].any() else "nothing known"
    print(f"ray {angle}: {tag} at {ray[-1] * 200:.2f} m")

near = np.clip(255 - observation["depth"] * 10, 0, 255).astype(np.uint8)
colours = (observation["segments"][..., None] * np.array([67, 131, 29])) % 200 + 40
strip = [observation["camera"], np.repeat(near[..., None], 3, axis=2), colours.astype(np.uint8)]
Path("seen.png").write_bytes(png(np.concatenate(strip, axis=1)))
print("wrote seen.png")
