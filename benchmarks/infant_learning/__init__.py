"""Learning in tasks of the infant wing with stable-baselines3: figure 7 of VECA, and PPO and SAC on four tasks.

    python -m benchmarks.infant_learning all --processes 16 --minutes 9
    python -m benchmarks.infant_learning kick-hrtf-0 ppo-object-nav-easy --minutes 5
    python -m benchmarks.infant_learning table

The same command resumes what is unfinished. It needs the extras `infant` and `learn`, and uses the CPU alone: networks
are small, and nearly all time is simulation. Jobs:

    baseline-TASK-LEVEL           100 episodes each of random actions and of the script
    kick-hrtf-0 ... -2            KickTheBall by ear: ears that hear directions; three seeds (figure 7a)
    kick-plain-0 ... -2           the same sound without direction: loudness alone
    kick-silent-0 ... -2          no sound
    grab-touch-0 ... -2           GrabObject with joints and the skin of the hands (figure 7b)
    grab-no-touch-0 ... -2        the same without skin
    ppo-TASK-LEVEL                PPO on grab-object, object-nav, kick-the-ball and multi-agent-nav, easy and hard
    sac-TASK-LEVEL                SAC on the same
    all                           all of them, in a pool of processes
    table                         the table and the pictures of all curves

Each job has a folder in `--out`: `log.jsonl` (a line each 5,000 steps: step, seconds, episodes, and the mean return,
share of passed episodes and mean length of the episodes that ended since the line before), `checkpoint/` (networks,
optimisers, running means, step count) and `words.txt` (what the process said, with the traceback if it failed). A step
is one control step of 1/15 s of one child. **SAC's replay buffer is not kept**: a run that is resumed first refills it
with 5,000 steps of its policy.
"""
