"""The scripts of the infant's tasks against random actions: returns and shares of passed episodes, as a Markdown table.

`python -m benchmarks.infant_scripts --episodes 40` plays every task twice with the same seeds 0 to 39. The difference
of the shares has a 95 % interval (Newcombe 1998).
"""

import argparse

from puzzlebox.arena.agents.random import RandomAgent
from puzzlebox.infant.catalogue import CATALOGUE
from puzzlebox.infant.envs.env import InfantEnv
from puzzlebox.seeds import agent_seed
from puzzlebox.stats.intervals import Interval, wilson
from puzzlebox.stats.proportions import combined


def play(env: InfantEnv, episodes: int, *, scripted: bool) -> tuple[float, Interval]:
    """Return the mean return, and the share of passed episodes with its interval."""
    total, passed = 0.0, 0
    for seed in range(episodes):
        agent = RandomAgent()
        agent.begin(agent_seed(seed))
        agent.use_space(env.action_space)
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            action = info["script"] if scripted else agent.act(observation, info)
            observation, reward, terminated, truncated, info = env.step(action)
            total += float(reward)
            over = terminated or truncated
        passed += bool(info["passed"])
    return total / episodes, wilson(passed, episodes)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Play infant tasks by their scripts and at random.")
    parser.add_argument("--episodes", type=int, default=40, help="episodes of each task and agent")
    parser.add_argument("--tasks", nargs="*", default=[entry.name for entry in CATALOGUE.values()], help="their names")
    options = parser.parse_args()
    print("| task | return of the script | of random actions | passed by the script | by random actions | difference |")
    print("|---|---|---|---|---|---|")
    for name in options.tasks:
        # Neither agent uses what it senses, and joints cost least.
        env = InfantEnv(name, senses=("joints",), script=True)
        (gain, script), (other, chance) = (play(env, options.episodes, scripted=each) for each in (True, False))
        difference = combined(script, chance)
        interval = f"({difference.low:.0%} to {difference.high:.0%})"
        shares = f"{script.value:.0%} | {chance.value:.0%} | {difference.value:.0%} {interval}"
        print(f"| {name} | {gain:.2f} | {other:.2f} | {shares} |".replace("%", " %"), flush=True)


if __name__ == "__main__":
    main()
