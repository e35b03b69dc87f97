"""The paths of two small tasks the original came with: food ahead, and food anywhere."""

from pathlib import Path

GOOD_GOAL_FIXED_POS = str(Path(__file__).with_name("good_goal_fixed_pos.yml"))
GOOD_GOAL_RANDOM_POS = str(Path(__file__).with_name("good_goal_random_pos.yml"))
