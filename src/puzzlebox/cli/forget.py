"""`puzzlebox forget`: delete a participant's recordings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlebox.cli.recordings import Recordings, open_store
from puzzlebox.cli.words import fail, note

if TYPE_CHECKING:
    from puzzlebox.record.deletion import ParticipantRecords

_FILE_IN_USE = "another program reads the file; if they were deleted just now, close it and run this command again"


def forget(
    participant: Annotated[str, typer.Argument(metavar="PARTICIPANT", help="The id of the participant, such as P07.")],
    store: Recordings = None,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
) -> None:
    """Delete all recordings of a participant for good, and print what was deleted.

    Try:

    - `puzzlebox forget P07`
    - `puzzlebox forget P07 --yes`

    Episodes, steps, events, and tasks that no one else has played are deleted, also from the bytes of the file. Tables,
    reports and films that were exported before are not touched.
    """
    from puzzlebox.record import StoreError
    from puzzlebox.record.deletion import BytesRemain, participants_in, records_of
    from puzzlebox.record.deletion import forget as delete
    from puzzlebox.record.entries import checked_participant
    from puzzlebox.text import closest

    try:
        checked_participant(participant)
    except ValueError as problem:
        fail(str(problem))
    path = open_store(store).path
    try:
        ids = participants_in(path)
        if participant not in ids:
            # Bytes of a participant who was deleted while another program held the file may be left in it.
            hint = _FILE_IN_USE if _bytes_remain(path) else ""
            fail(f"there is no participant {participant} in {path}{closest(participant, ids)}", hint)
        if not yes:
            _confirm(participant, records_of(path, participant))
        deleted = delete(path, participant)
    except BytesRemain as problem:
        fail(str(problem), "a studio or an export may have it open; close it and run this command again")
    except StoreError as problem:
        fail(str(problem))
    note(f"deleted {_summary(participant, deleted)}")
    if deleted.unfinished:
        were = "1 of them was" if deleted.unfinished == 1 else f"{deleted.unfinished} of them were"
        note(f"{were} not finished: if a page of {participant} is still open, close it, or new episodes are recorded")
    note("tables, reports and films that were exported before are not touched")


def _confirm(participant: str, records: "ParticipantRecords") -> None:
    """Ask whether to delete the records; end the command unless the answer is yes."""
    try:
        agreed = typer.confirm(f"Delete {_summary(participant, records)}, for good?", err=True)
    except typer.Abort:
        fail("nothing was deleted", "add --yes if there is no terminal to answer on")
    if not agreed:
        fail("nothing was deleted")


def _bytes_remain(path: Path) -> bool:
    """Remove the bytes of participants deleted earlier; return whether another program keeps them in the file."""
    from puzzlebox.record import StoreError
    from puzzlebox.record.deletion import BytesRemain, scrub

    try:
        scrub(path)
    except BytesRemain:
        return True
    except StoreError:  # from a file that cannot be changed, nothing was deleted
        return False
    return False


def _summary(participant: str, records: "ParticipantRecords") -> str:
    """Return a sentence: how many episodes of which tasks a participant has, and from which days."""
    number = f"{records.episodes} episode{'' if records.episodes == 1 else 's'}"
    tasks = ", ".join(f"{count} of {task}" for task, count in records.tasks.items())
    days = f"on {records.first}" if records.first == records.last else f"from {records.first} to {records.last}"
    return f"{number} of {participant}: {tasks}, recorded {days}"
