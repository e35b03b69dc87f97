"""Step 32 environments at once, in two processes, and count decisions per second."""

from time import perf_counter

import puzzlebox

STEPS = 200

if __name__ == "__main__":  # the second process imports this file
    envs = puzzlebox.make_vec("food/*", num_envs=32, workers=2, camera=64, max_episode_steps=100)
    envs.action_space.seed(1)
    observations, infos = envs.reset(seed=1)
    print("camera:", observations["camera"].shape, "vitals:", observations["vitals"].shape)

    ended = 0
    begin = perf_counter()
    for _ in range(STEPS):
        observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
        ended += (terminated | truncated).sum()
    seconds = perf_counter() - begin
    envs.close()
    print(f"{STEPS * 32 / seconds:,.0f} decisions a second; {ended} episodes ended")
