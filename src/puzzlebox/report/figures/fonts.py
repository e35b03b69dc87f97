"""Fonts for names in any script: the font of the style, then installed fonts with the letters that it lacks.

No font is bundled: one with all Chinese letters alone has 16 MB. A letter that no installed font has is written as its
Unicode number, so that different names stay different.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from puzzlebox.report.episodes import Remark
from puzzlebox.stats.extras import import_extra

# The font of all figures, which comes with matplotlib.
BASE = "DejaVu Sans"
# Fonts of which every letter is a box or nothing.
_EMPTY = ("lastresort", "adobeblank", "notdef")
# Letters without a shape of their own: controls, joiners, selectors of variants, spaces.
_SHAPELESS = ("Cc", "Cf", "Zs", "Zl", "Zp")
# Letters that a remark names at most.
_MOST_NAMED = 12
_VARIANTS = range(0xFE00, 0xFE10)


def letters_of(texts: Iterable[str]) -> set[str]:
    """Return the letters of some texts that need a shape."""
    letters = set().union(*texts)
    return {each for each in letters if unicodedata.category(each) not in _SHAPELESS and ord(each) not in _VARIANTS}


def families_for(texts: Iterable[str]) -> list[str]:
    """Return the names of the fonts that together have most letters of some texts, the font of the style first.

    Args:
        texts: the names that figures will show.
    """
    lacking = letters_of(texts) - _letters_in(_path_of(BASE))
    families, left = [BASE], list(_installed()) if lacking else []
    while lacking and left:
        # The first of equally good ones; `_installed` is sorted, so that the choice is the same on every start.
        best = max(left, key=lambda path: len(lacking & _letters_in(path)))
        found = lacking & _letters_in(best)
        if not found:
            break
        left.remove(best)
        if _has_outlines(best, min(found)):
            families.append(_family(best))
            lacking -= found
    return families


def lacking_letters(texts: Iterable[str]) -> list[str]:
    """Return the letters of some texts that none of the current fonts has, sorted."""
    own = (_letters_in(_path_of(family)) for family in _current())
    return sorted(letters_of(texts).difference(*own))


def remarks(texts: Iterable[str]) -> list[str]:
    """Return a sentence about the letters of some texts that figures cannot show, or none."""
    lacking = lacking_letters(texts)
    if not lacking:
        return []
    shown = " ".join(lacking[:_MOST_NAMED]) + (" …" if len(lacking) > _MOST_NAMED else "")
    text = (
        f"No installed font has the letters {shown}; figures have their Unicode numbers instead, such as "
        f"{legible(lacking[0])}, and tables have the letters. A font for their script, such as those of the family "
        "Noto Sans, changes that."
    )
    return [Remark(text, "")]


def legible(text: str) -> str:
    """Return a text of one line in which letters that no current font has are replaced by their Unicode numbers."""
    text = " ".join(text.split()) if any(each.isspace() for each in text) else text
    text = "".join(each for each in text if unicodedata.category(each) != "Cc")
    if text.isascii():
        return text
    lacking = set(lacking_letters([text]))
    return "".join(f"[{ord(each):X}]" if each in lacking else each for each in text)


def _current() -> Sequence[str]:
    family = import_extra("matplotlib").rcParams["font.family"]
    return [BASE if each == "sans-serif" else each for each in ([family] if isinstance(family, str) else family)]


@cache
def _installed() -> list[str]:
    """Return the paths of all fonts of this machine: fonts for continuous text first."""
    manager = import_extra("matplotlib.font_manager")
    paths = {each.fname for each in manager.fontManager.ttflist} | set(manager.findSystemFonts())

    def rank(path: str) -> tuple[bool, bool, bool, str, str]:
        name = Path(path).stem.lower()
        slanted = any(each in name for each in ("italic", "oblique", "bold", "black", "light", "thin", "mono"))
        return slanted, "sans" not in name, "noto" not in name, name, path

    kept = (path for path in paths if not any(each in Path(path).stem.lower() for each in _EMPTY))
    return sorted(kept, key=rank)


@cache
def _path_of(family: str) -> str:
    found: str = import_extra("matplotlib.font_manager").findfont(family)
    return found


@cache
def _letters_in(path: str) -> frozenset[str]:
    """Return the letters that a font has; none if it cannot be read."""
    try:
        return frozenset(map(chr, _font(path).get_charmap()))
    except (RuntimeError, OSError, ValueError):  # damaged, or of a kind that matplotlib does not read
        return frozenset()


def _has_outlines(path: str, letter: str) -> bool:
    """Return whether a font has an outline of a letter, and not only a picture."""
    try:
        font = _font(path)
        font.set_size(10, 72)
        font.load_char(ord(letter))
        return bool(len(font.get_path()[0]))
    except (RuntimeError, OSError, ValueError):
        return False


def _family(path: str) -> str:
    """Return the name by which matplotlib finds an installed font, also one installed since it made its list."""
    manager = import_extra("matplotlib.font_manager").fontManager
    if not any(each.fname == path for each in manager.ttflist):
        manager.addfont(path)
    name: str = next(each.name for each in manager.ttflist if each.fname == path)
    return name


def _font(path: str) -> Any:
    return import_extra("matplotlib.ft2font").FT2Font(path)
