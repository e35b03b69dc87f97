"""Step one simulator with random actions for some seconds; peers.py runs this with the Python that has it installed.

`python peer_program.py NAME SECONDS ROUNDS` prints one line of JSON. Puzzlebox is imported only to be measured itself.
"""

import json
import os
import random
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any

_ACTIONS = 1 << 12
# Takes a number of steps and returns how many resets they needed.
Steps = Callable[[int], int]
About = dict[str, str | int]


def gymnasium_steps(env: Any) -> Steps:
    """Return the function that steps a Gymnasium environment."""
    actions = [random.randrange(env.action_space.n) for _ in range(_ACTIONS)]
    env.reset(seed=0)
    steps_done = 0

    def step(count: int) -> int:
        nonlocal steps_done
        resets = 0
        for _ in range(count):
            _, _, terminated, truncated, _ = env.step(actions[steps_done % _ACTIONS])
            steps_done += 1
            if terminated or truncated:
                env.reset()
                resets += 1
        return resets

    return step


def puzzlebox_program(size: str) -> tuple[Steps, About]:
    """Return the steps of Puzzlebox, in an arena of 20 things."""
    import puzzlebox
    from puzzlebox.arena.envs.speed import arena

    env = puzzlebox.make(arena(), camera=int(size), vitals=False)
    about: About = {
        "resolution": f"{size}x{size}",
        "frame_skip": 3,
        "version": puzzlebox.__version__,
        "note": "20 things",
    }
    return gymnasium_steps(env), about


def miniworld_program(name: str) -> tuple[Steps, About]:
    """Return the steps of MiniWorld, which draws with OpenGL; without a display, through EGL."""
    pyglet = import_module("pyglet")
    pyglet.options["headless"] = True
    import_module("miniworld")  # which registers its environments
    env = import_module("gymnasium").make(f"MiniWorld-{name}-v0", obs_width=64, obs_height=64)
    steps = gymnasium_steps(env)
    about: About = {
        "resolution": "64x64",
        "frame_skip": 1,
        "version": version("miniworld"),
        "note": pyglet.gl.gl_info.get_renderer(),
    }
    return steps, about


def vizdoom_program(name: str, frame_skip: str) -> tuple[Steps, About]:
    """Return the steps of ViZDoom through its own interface, without Gymnasium; 160x120 is its smallest picture."""
    vizdoom = import_module("vizdoom")
    game = vizdoom.DoomGame()
    game.load_config(os.path.join(vizdoom.scenarios_path, f"{name}.cfg"))
    game.set_screen_resolution(vizdoom.ScreenResolution.RES_160X120)
    game.set_screen_format(vizdoom.ScreenFormat.RGB24)
    game.set_mode(vizdoom.Mode.PLAYER)
    game.set_window_visible(False)
    game.set_sound_enabled(False)
    game.set_seed(0)
    game.init()
    buttons = game.get_available_buttons_size()
    choices = [[int(button == chosen) for button in range(buttons)] for chosen in range(buttons)]
    actions = [random.choice(choices) for _ in range(_ACTIONS)]
    skip, steps_done = int(frame_skip), 0

    def step(count: int) -> int:
        nonlocal steps_done
        resets = 0
        for _ in range(count):
            game.make_action(actions[steps_done % _ACTIONS], skip)
            steps_done += 1
            if game.is_episode_finished():
                game.new_episode()
                resets += 1
            _ = game.get_state().screen_buffer
        return resets

    return step, {
        "resolution": "160x120",
        "frame_skip": skip,
        "version": vizdoom.__version__,
        "note": "software renderer",
    }


def main() -> None:
    """Warm up, then count the steps of each round, and print the figures as JSON."""
    name, seconds, rounds = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    random.seed(0)
    kind, *arguments = name.split(":")
    programs: dict[str, Callable[..., tuple[Steps, About]]] = {
        "puzzlebox": puzzlebox_program,
        "miniworld": miniworld_program,
        "vizdoom": vizdoom_program,
    }
    steps, about = programs[kind](*arguments)
    steps(50)
    rates, resets = [], 0
    for _ in range(rounds):
        steps_done, start = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - start) < seconds:
            resets += steps(50)
            steps_done += 50
        rates.append(steps_done / elapsed)
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    print(json.dumps({"name": name, "rate": max(rates), "rates": rates, "resets": resets, "cores": cores, **about}))


if __name__ == "__main__":
    main()
