"""Write an agent of your own: it goes to food it sees, and turns until it sees some."""

import puzzlebox


class Seeker:
    """An agent that goes to the food its rays meet, and otherwise turns right."""

    senses = {"camera": None, "rays": 21, "ray_degrees": 90}  # settings of puzzlebox.make

    def begin(self, seed):
        """Start an episode; a random agent would seed its rng here."""

    def act(self, observation, info):
        """Return an action from 0 to 8 for an observation."""
        food = [column for column, tag in enumerate(info["ray_tags"]) if tag in ("goodGoal", "goodGoalMulti")]
        rays = observation["rays"].reshape(self.senses["rays"], -1)  # centre, right 1, left 1, right 2, ...
        hits = rays[:, food].any(axis=1).nonzero()[0]
        if not hits.size:
            return 1  # right
        nearest = hits[0]  # to the centre: 0 is the centre, odd numbers are on the right
        return 3 if nearest < 3 else 1 if nearest % 2 else 2  # forwards, right, left


if __name__ == "__main__":
    # `puzzlebox run basic-control/approach --agent own_agent:Seeker -o out` does the same, and writes tables.
    agent = Seeker()
    env = puzzlebox.make("basic-control/approach", **agent.senses)  # a new variation every episode
    for seed in range(3):
        observation, info = env.reset(seed=seed)
        agent.begin(seed)
        over = False
        while not over:
            observation, reward, terminated, truncated, info = env.step(agent.act(observation, info))
            over = terminated or truncated
        print(f"seed {seed}: return {info['episode_return']:.3f}, passed: {info['passed']}")
