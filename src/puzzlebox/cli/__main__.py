"""`python -m puzzlebox.cli` is the same as `puzzlebox`."""

from puzzlebox.cli import main

main()
