"""What stands where a run keeps its files must be a file: reading a pipe waits for ever, and a folder is none."""

from pathlib import Path


def require_files(*paths: Path, links: bool = True) -> None:
    """Refuse what is there but is not a file; nothing at all is no fault here.

    Args:
        paths: where files may be.
        links: also refuse a link to something that is missing.

    Raises:
        ValueError: something is not a file; the sentence names it.
    """
    for path in paths:
        if path.exists():
            if not path.is_file():
                raise ValueError(f"{path} is not a file; move it away, or name another folder")
        elif links and path.is_symlink():
            raise ValueError(
                f"{path} is a link to {path.readlink()}, which is missing; put that file back, or remove the link"
            )
