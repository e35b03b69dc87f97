"""A check that the files of a run are regular files: reading a named pipe, for instance, would never return."""

from pathlib import Path


def require_files(*paths: Path, links: bool = True) -> None:
    """Refuse paths at which there is something other than a regular file; a path may be free.

    Args:
        paths: the paths of the files.
        links: also refuse a link whose target is missing.

    Raises:
        ValueError: one of them is not a file; the message names it.
    """
    for path in paths:
        if path.exists():
            if not path.is_file():
                raise ValueError(f"{path} is not a file; move it away, or name another folder")
        elif links and path.is_symlink():
            raise ValueError(
                f"{path} is a link to {path.readlink()}, which is missing; put that file back, or remove the link"
            )
