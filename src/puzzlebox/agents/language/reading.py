"""Transcripts for people: as text, or as one page with the pictures the model saw."""

from collections.abc import Iterator
from html import escape
from typing import Any

from puzzlebox.agents.language.transcript import UNDERSTOOD, Transcript
from puzzlebox.text import counted

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
article{border-left:4px solid #bbb;margin:1rem 0;padding:.1rem 1rem}
article.assistant{border-color:#2a6}
article.system{border-color:#888}
h1{font-size:1.3rem}
h2{font-size:1rem;margin:.3rem 0;color:#555}
pre{white-space:pre-wrap;font:inherit;margin:.3rem 0}
img{image-rendering:pixelated;width:256px;height:256px}
small{color:#666}
"""


def text_lines(name: str, transcript: Transcript) -> Iterator[str]:
    """Yield a transcript line by line; a picture is a note in brackets."""
    yield name
    yield f"{transcript.about.get('model', '')} at {transcript.about.get('endpoint', '')}: {count_line(transcript)}"
    for label, role, parts, remark in _steps(transcript):
        yield ""
        yield f"[{label}] {role}{f' ({remark})' if remark else ''}"
        for part in parts:
            yield from ("(picture)",) if part.startswith("data:image/") else part.split("\n")
    if transcript.error:
        yield ""
        yield f"ended early: {transcript.error}"


def page(name: str, transcript: Transcript) -> str:
    """Return a transcript as an HTML page without outside parts: the pictures are in it."""
    body = [f"<h1>{escape(name)}</h1>", f"<p>{escape(count_line(transcript))}</p>"]
    for label, role, parts, remark in _steps(transcript):
        shown = "".join(
            f'<img src="{escape(part)}" alt="what the model saw">'
            if part.startswith("data:image/png;base64,")
            else f"<pre>{escape(part)}</pre>"
            for part in parts
        )
        note = f" <small>{escape(remark)}</small>" if remark else ""
        body.append(f'<article class="{role}"><h2>{escape(label)}: {role}{note}</h2>{shown}</article>')
    if transcript.error:
        body.append(f"<p>Ended early: {escape(transcript.error)}</p>")
    head = f'<meta charset="utf-8"><title>{escape(name)}</title><style>{_STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(body) + "\n</body></html>\n"


def count_line(transcript: Transcript) -> str:
    """Return the numbers of a transcript in one line."""
    counts = transcript.counts()
    text = f"{counted(len(transcript.calls), 'call')}, {counts['tokens']:,} tokens"
    text += f", cost {counts['money']:.4f}" if counts["money"] else ""
    for name, words in (("failures", "failed attempts"), ("asked_again", "asked again"), ("given_up", "given up")):
        text += f", {counts[name]} {words}" if counts[name] else ""
    return text


def _steps(transcript: Transcript) -> Iterator[tuple[str, str, list[str], str]]:
    """Yield the label, the role, the contents and a remark of each message, in the order in which they were sent."""
    shown: set[int] = set()
    for number, call in enumerate(transcript.calls, 1):
        for position in (*call["sent"], call["reply"]):
            if position not in shown:
                shown.add(position)
                is_reply = position == call["reply"]
                yield _step(
                    transcript, position, f"call {number}, decision {call['decision']}", call if is_reply else {}
                )
    for position in range(len(transcript.messages)):
        if position not in shown:
            yield _step(transcript, position, "no reply", {})


def _step(transcript: Transcript, position: int, label: str, call: dict[str, Any]) -> tuple[str, str, list[str], str]:
    message = transcript.messages[position]
    remarks = [] if call.get("outcome") in (None, "", UNDERSTOOD) else [call["outcome"]]
    remarks += [f"means: {call['meaning']}"] if call.get("outcome") == UNDERSTOOD else []
    remarks += [f"attempt failed: {why}" for why in call.get("failures", ())]
    return label, message["role"], _contents(message["content"]), "; ".join(remarks)


def _contents(content: Any) -> list[str]:
    """Return the texts and the addresses of the pictures of a message."""
    if isinstance(content, str):
        return [content]
    return [part["text"] if part["type"] == "text" else part["image_url"]["url"] for part in content]
