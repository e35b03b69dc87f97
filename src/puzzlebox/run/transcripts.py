"""The file of transcripts of a run: what language models were sent and replied, one gzip member for each episode."""

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from puzzlebox.agents.language.transcript import Transcript
from puzzlebox.run.plain_files import require_files
from puzzlebox.run.trajectories import members
from puzzlebox.text import nearest

TRANSCRIPTS = "transcripts.jsonl.gz"


class RecordedTranscript(NamedTuple):
    """A transcript in the folder of a run.

    Attributes:
        name: the name of its episode in the run.
        body: the index of the animal that the model steered, from 0.
        transcript: the transcript.
    """

    name: str
    body: int
    transcript: Transcript


def pack_transcripts(name: str, of_animals: Iterable[Any]) -> bytes:
    """Compress the transcripts of an episode into one gzip member; empty if no call was made.

    Args:
        name: the name of the episode in its run.
        of_animals: the transcript of the agent of each animal, or None.
    """
    lines = []
    for body, transcript in enumerate(of_animals):
        if isinstance(transcript, Transcript) and (transcript.calls or transcript.error):
            lines.append(json.dumps({"name": name, "body": body, **transcript.as_dict()}, separators=(",", ":")))
    # A line of JSON has no line break, so that the reader of trajectories reads these members as well.
    return gzip.compress("".join(f"{line}\n" for line in lines).encode(), 6, mtime=0) if lines else b""


def all_transcripts(folder: Path) -> Iterator[RecordedTranscript]:
    """Yield every transcript of a run, in the order in which the episodes ended.

    An episode that failed and was played again has several. What a kill left incomplete is skipped.

    Raises:
        ValueError: the file is not a regular one.
    """
    path = folder / TRANSCRIPTS
    require_files(path)
    for each in members(path):
        try:
            data = json.loads(each.record)
            yield RecordedTranscript(each.name, int(data["body"]), Transcript.of_dict(data))
        except (ValueError, KeyError, TypeError):
            continue


def transcripts(folder: Path | str) -> dict[str, list[Transcript]]:
    """Return the transcripts of a run by the names of its episodes, sorted: one for each animal a model steered.

    Of an episode that failed and was played again, the last one is returned; `all_transcripts` yields all of them.
    """
    latest: dict[str, dict[int, Transcript]] = {}
    for each in all_transcripts(Path(folder)):
        animals = latest.setdefault(each.name, {})
        if each.body in animals:
            animals.clear()
        animals[each.body] = each.transcript
    # Sorted, because the order in which episodes end depends on the workers.
    return {name: [animals[body] for body in sorted(animals)] for name, animals in sorted(latest.items())}


def missing_transcripts(folder: Path, found: Mapping[str, Any]) -> list[str]:
    """Return the episodes of agents with transcripts that have none, because the file was damaged or cut.

    Args:
        folder: the folder of the run.
        found: its transcripts by the names of their episodes.
    """
    from puzzlebox.run.journal import episodes_so_far  # it imports this module

    episodes = episodes_so_far(folder)[0]
    agents = {each.agent for each in episodes if each.id in found}
    return [each.id for each in episodes if each.agent in agents and each.id not in found and not each.error]


def transcript_of(reference: str) -> tuple[str, list[Transcript]]:
    """Return the name and the transcripts of an episode of a run.

    Args:
        reference: the folder of the run, `#`, and the name of the episode or its number in the list of
            `puzzlebox transcript RUN`, from 1: `out#3`.

    Raises:
        FileNotFoundError: the folder has no transcripts.
        ValueError: there is no such episode.
    """
    path, _, name = reference.partition("#")
    folder = Path(path or ".")
    found = transcripts(folder)
    if not found:
        raise FileNotFoundError(f"{folder} is not the folder of a run in which a language model played")
    if name.isdecimal() and len(name) < 8 and 1 <= int(name) <= len(found):
        name = list(found)[int(name) - 1]
    if name not in found:
        numbers = f"; it has the episodes 1 to {len(found)}" if name.isdecimal() else nearest(name, found)
        raise ValueError(f"the run in {folder} has no transcript of the episode {name!r}{numbers}")
    return name, found[name]
