"""Animal-AI's own command: `python -m puzzlebox.animalai download|info|cleanup`."""

from argparse import ArgumentParser

from puzzlebox import __version__
from puzzlebox.animalai.download import download_binary


def main() -> None:
    """Run one of the original's commands; there is no program to download here, so all of them only print."""
    parser = ArgumentParser(
        prog="python -m puzzlebox.animalai",
        description="Animal-AI's commands for its program; Puzzlebox runs without it.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    download = commands.add_parser("download", help="nothing to download")
    download.add_argument("--version", help="no effect")
    download.add_argument("--platform", choices=("Linux", "Windows", "MacOS"), help="no effect")
    download.add_argument("--force", action="store_true", help="no effect")
    commands.add_parser("info", help="which version this is")
    cleanup = commands.add_parser("cleanup", help="nothing to clean up")
    cleanup.add_argument("--all", action="store_true", help="no effect")
    command = parser.parse_args().command
    if command == "download":
        download_binary()
    elif command == "info":
        print(f"Puzzlebox {__version__}; it plays Animal-AI's tasks without Animal-AI's program")
    else:
        print("there is nothing to clean up: Puzzlebox runs without Animal-AI's program")


if __name__ == "__main__":
    main()
