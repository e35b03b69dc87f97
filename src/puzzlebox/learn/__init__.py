"""Learners: agents that are trained by playing, and everything around their training.

`train` trains an agent and keeps everything in a folder; `TrainedAgent` plays what was learned. The learners are one
file each: `recurrent` (our recurrent PPO), and those of other libraries in `learners/`.
"""
