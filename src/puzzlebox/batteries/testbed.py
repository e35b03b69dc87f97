"""The testbed as data: the folders of its ten levels."""

from pathlib import Path

TESTBED = Path(__file__).parent / "arena" / "testbed"
