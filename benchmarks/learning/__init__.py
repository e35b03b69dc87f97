"""Experiments of learning in the arena, each beside what was published: docs/guides/training-results.md.

    python -m benchmarks.learning list
    python -m benchmarks.learning run E1 E3 -o out --processes 16 --minutes 9 --device cuda
    python -m benchmarks.learning status E1 E3 -o out
    python -m benchmarks.learning pack -o out --to packed
    python -m benchmarks.learning unpack packed -o out
    python -m benchmarks.learning tables -o out
    python -m benchmarks.learning keep -o out
    python -m benchmarks.learning page

It needs no installation: `PYTHONPATH=src python3 -m benchmarks.learning ...`. Groups:

    E1          PPO of Voudouris et al. (2024) on our learner: foraging, the operant chamber, and its curriculum
    E1-sb3      the same with stable-baselines3
    E2          mazes of Beyret et al. (2019): PPO with curiosity, with the curriculum and on two-by-two rooms alone
    E2-fast     the same on our learner
    E3          recurrent against feed-forward agents in two tasks of memory
    E4          `generalist`, the trained agent of the package, on the testbed, and three other agents beside it
    E4-training how it was trained: two pieces, each of half an hour on sixteen cores and a GPU
    E5          our learner with its defaults on two cores: foraging and the operant chamber
    E5-wide     the same on sixteen cores and a GPU: two-by-two rooms
    smoke       a run of seconds, to see whether everything works on a machine

`run` takes groups or names of runs. The same command resumes what is unfinished. Each run has a folder in `-o`: `run/`
(what `puzzlebox train` writes), `test-K.jsonl` (episodes of the evaluation, a line each) and `words.txt` (what the
processes said). `results/NAME.json` has all that tables and figures need; `keep` copies those of finished runs into
this package, from which `page` writes the tables and the picture of the documentation.
"""
