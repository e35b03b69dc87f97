"""The logs of a run: lines of JSON that are only appended to, and TensorBoard's files.

`episodes.jsonl` has a line for each training episode that ended, `log.jsonl` one for each update, and
`evaluation.jsonl` one for each evaluation. A checkpoint stores how long the first two were; a run that is resumed cuts
them there, so that nothing is counted twice.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

EPISODES, LOG, EVALUATION = "episodes.jsonl", "log.jsonl", "evaluation.jsonl"
TENSORBOARD = "tensorboard"


class Logs:
    """The open logs of a run.

    Args:
        run: the folder of the run.
        sizes: the lengths in bytes to cut the logs to, as `sizes` returned them. Default: the logs start empty.
        step: the number of decisions so far; TensorBoard shows nothing older that was logged after it.
    """

    def __init__(self, run: Path, sizes: Mapping[str, int] | None = None, step: int = 0) -> None:
        self._files: dict[str, IO[bytes]] = {}
        wanted = {name: 0 if sizes is None else sizes[name] for name in (EPISODES, LOG)}
        for name, size in wanted.items():
            if size and (not (run / name).exists() or (run / name).stat().st_size < size):
                raise ValueError(
                    f"{run / name} lacks lines that were written before the checkpoint; name another folder"
                )
        for name, size in wanted.items():
            self._files[name] = (run / name).open("ab")
            self._files[name].truncate(size)
        self._board = _board(run / TENSORBOARD, step)

    def write(self, name: str, lines: Iterable[Mapping[str, Any]]) -> None:
        """Append lines to a log."""
        text = "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines)
        self._files[name].write(text.encode())

    def scalars(self, values: Mapping[str, float], step: int) -> None:
        """Write numbers for TensorBoard, if it is installed."""
        if self._board is not None:
            for name, value in values.items():
                self._board.add_scalar(name, value, step)

    def flush(self) -> None:
        """Make lines visible to other programs."""
        for file in self._files.values():
            file.flush()

    def sizes(self) -> dict[str, int]:
        """Bring the logs to the disk; return the length of each in bytes."""
        self.flush()
        for file in self._files.values():
            os.fsync(file.fileno())
        if self._board is not None:
            self._board.flush()
        return {name: file.tell() for name, file in self._files.items()}

    def close(self) -> None:
        """Close all files."""
        for file in self._files.values():
            file.close()
        if self._board is not None:
            self._board.close()


def _board(folder: Path, step: int) -> Any:
    """Return a writer of TensorBoard's files; None if no package for that is installed."""
    try:
        from tensorboardX import SummaryWriter
    except ImportError:
        return None
    # TensorBoard hides what an interrupted part logged at this step or later; what it logged at `step` stays.
    return SummaryWriter(str(folder), purge_step=step + 1)


def append_line(path: Path, line: Mapping[str, Any]) -> None:
    """Append a line to a log and bring it to the disk."""
    with path.open("ab") as file:
        file.write((json.dumps(line, allow_nan=False) + "\n").encode())
        file.flush()
        os.fsync(file.fileno())


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the complete lines of a log; none if there is no such file. The last one may just be written."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    lines: list[dict[str, Any]] = []
    for line in text.splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            continue
    return lines
