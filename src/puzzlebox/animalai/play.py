"""Play a task in the browser: `play()`, or `python -m puzzlebox.animalai.play`."""

from argparse import ArgumentParser
from os import PathLike

from puzzlebox.animalai.arenas import GOOD_GOAL_RANDOM_POS
from puzzlebox.animalai.environment import AnimalAIEnvironment


def play(
    configuration_file: "str | PathLike[str] | None" = None,
    env_path: "str | PathLike[str] | None" = None,
    log_path: "str | PathLike[str] | None" = None,
) -> None:
    """Open a file, or an arena with food somewhere, in the studio; return when the studio is closed (Ctrl-C)."""
    env = AnimalAIEnvironment(
        file_name=env_path,
        log_folder=log_path or "",
        play=True,
        arenas_configurations=configuration_file or GOOD_GOAL_RANDOM_POS,
        useCamera=False,
    )
    try:
        if env._process is not None:
            env._process.wait()
    except KeyboardInterrupt:
        pass
    finally:
        env.close()


def main() -> None:
    """Run `play` from the command line, with the original's options."""
    parser = ArgumentParser(description="Play a task in the browser.")
    parser.add_argument("--config_path", help="the task file. Default: an arena with food somewhere")
    parser.add_argument("--AAI_path", help="no effect: there is no program of Animal-AI to start")
    parser.add_argument("--log_path", help="no effect: the studio records every episode")
    options = parser.parse_args()
    play(options.config_path, options.AAI_path, options.log_path)


if __name__ == "__main__":
    main()
