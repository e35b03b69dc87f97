"""Written text means the same task, in both forms, and depends on nothing but the task."""

import pytest
from hypothesis import HealthCheck, given, settings

from puzzlebox.schema import ANIMALAI, PUZZLEBOX, Task, read, write
from puzzlebox.schema.diagnostics import errors
from strategies import tasks

FORMS = (PUZZLEBOX, ANIMALAI)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(task=tasks())
def test_reading_what_was_written_gives_the_same_task(form: str, task: Task) -> None:
    text = write(task, form)
    reading = read(text)
    assert errors(reading.findings) == []
    assert reading.form == form
    assert reading.task == task
    assert write(reading.task, form) == text
