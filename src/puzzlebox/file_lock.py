"""One lock for files that only one process may write at a time. It ends with the process, also when that is killed."""

from typing import IO, Any


def lock_file(file: IO[Any] | int, *, wait: bool = False) -> bool:
    """Lock an open file until it is closed; without effect on Windows, where the result is always True.

    Args:
        file: the file, or its descriptor.
        wait: whether to wait while another process has locked it.

    Returns:
        Whether this process has the lock; False if another process has it and `wait` is false.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        if wait:
            raise
        return False
    return True
