"""Sounds and how they reach two ears: sources, propagation, the filters of a head, mixing. It knows no MuJoCo."""
