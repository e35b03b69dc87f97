"""Record an episode, find it again, play it back byte for byte, and write its tables."""

import subprocess

import puzzlebox
from puzzlebox.agents import agent_named
from puzzlebox.record import Store
from puzzlebox.run.play import play

task = puzzlebox.load_task("food/picnic")
with Store("my.sqlite") as store:
    played = play(task, agent_named("heuristic"), seed=3, store=store, name="food/picnic", agent_name="heuristic")
    store.flush()  # everything is in the file now

    episode = store.find("last")
    print(f"{episode.agent} played {episode.task}: return {episode.total:.3f}, passed: {episode.passed}")

    world = puzzlebox.World.replay(store.record(episode.id))  # the same steps again
    print("the same actions:", world.snapshot().actions == played.actions)
    print("the same return to the last bit:", world.animals[0].total == episode.total)

    steps = store.steps(episode.id)
    print("it ended at", [round(steps[axis][-1], 2) for axis in "xyz"], "after", steps["step"][-1], "physics steps")

# The same from a terminal: tables, and the path of the animal from above.
subprocess.run(["puzzlebox", "export", "--data", "my.sqlite", "-o", "tables"], check=True)
picture = ["--path", "--size", "480x480", "-o", "path.png"]  # or a film: ["-o", "film.mp4"]
subprocess.run(["puzzlebox", "replay", "last", "--data", "my.sqlite", *picture], check=True)
