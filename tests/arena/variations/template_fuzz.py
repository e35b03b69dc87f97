"""Try damaged templates: `python tests/arena/variations/template_fuzz.py --seed 3 --count 1000`.

Each must be refused with one sentence or work, within a gigabyte and without hanging. `test_template_fuzz.py` runs it
in a process of its own, which has a limit on its memory that a test process cannot have. The report is printed as JSON.
"""

import argparse
import faulthandler
import json
import random
import re
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import yaml

# Run as a program, it needs the paths that pytest sets up.
TESTS = Path(__file__).resolve().parents[2]
sys.path += [str(TESTS), str(TESTS / "helpers"), str(TESTS / "arena" / "schema"), str(TESTS / "arena" / "cli")]

from puzzlebox.arena.variations import Template, TemplateError
from puzzlebox.arena.variations.findings import findings
from puzzlebox.arena.variations.folder import columns_of, row_of
from puzzlebox.batteries import template_names, template_path
from test_fuzz import _places, _without_aliases, graft, mutate
from test_vary import BAD, A, B
from test_vary_cli import TEMPLATE

PAGE = Path(__file__).resolve().parents[3] / "docs" / "guides" / "variations.md"
# CPU seconds. No template takes five; one that takes so long hangs.
HANGS_AFTER = 20
# Seconds of wall-clock time, for a wait without end.
WAITS_AFTER = 600
MEMORY = 1 << 30
# The longest message and file name, in characters.
LONGEST_SENTENCE, LONGEST_NAME = 1_000, 255

# One template with everything the Puzzlebox format has, and one with everything procgen-companion's has.
OURS = """
metadata: {title: "A wall at ${wall_x}", tags: [a, "${side}"]}
vary:
  wall_x: {range: [8, 32, 4]}
  height: {named: {low: 1, high: 3}, weights: [2, 1]}
  colour: {options: [red, blue, green], labels: [r, b, g], weights: [1, 2, 3]}
  gap: {uniform: [3, $height + 4], decimals: 2, min: 3, max: 5}
  noise: {normal: [20, 3]}
  order: {permutations: [1, 2, 3]}
  pair: {subsets: [a, b, c], size: 2}
  x, side: [[5, left], [35, right]]
  extra: {range: [1, 3], when: colour == red}
  flip: [none, x, z]
  turn: [0, 90, 180, 270]
  grid: {range: [0, 9], steps: 4}
  few: [{name: GoodGoal, at: [20, 0, 30], size: 1}, [{name: Wall}, {name: BadGoal, size: {vary: [1, 2]}}]]
let:
  food_x: 40 - wall_x
  both: [$x, $food_x]
  twice: $both + both
  word: "a${side}b${x}"
require: [wall_x != 20 or colour == red, noise > 10]
labels: {where: $side, count: $len(pair)}
splits: {train: 0.8, test: 0.2, seed: 1}
design: {sample: 20, seed: 1, balance: [side, colour]}
arenas:
  - time_limit: 250
    mirror: $flip
    rotate: $turn
    items:
      - {name: Agent, at: [20, 0, 5], rotation: {if: x > 20, then: 90, else: 270}}
      - {name: Wall, at: [$wall_x, 0, 20], rotation: 0, size: [$gap, $height, 1], color: $colour}
      - {name: GoodGoal, at: ["$max(food_x, 1)", 0, {vary: [20, 30]}], size: 1}
      - {name: BadGoal, at: [20, 0, 35], size: 1, when: height > 2}
      - $few
  - template: basic-control/approach
"""
SQUARE = """
vary: {group: [1, 2, 3], trial: [1, 2, 3], cup: [left, middle, right]}
design: {latin_square: [group, trial, cup]}
arenas: [{time_limit: $100 * group + trial, items: [{name: GoodGoal, at: ["$[10, 20, 30][trial - 1]", 0, 20]}]}]
"""
FAMILY = """
templates: {near: basic-control/approach, far: {template: basic-control/avoid, weight: 2}}
splits: {train: 0.5, test: 0.5}
"""
CHAINS = """
!ArenaConfig
proc_meta: {proc_labels: [!ProcIfLabels {value: [one.sizes.0.x, arenas.0.passMark], cases: [[1, 0], [!R [2, 3], 1]],
  labels: [low, high], default: other}]}
arenas:
  0: !Arena
    passMark: !ProcList [0, 1]
    timeLimit: !ProcIf {value: arenas.0.passMark, cases: [0], then: [!ProcList [100, 200]], default: 300}
    blackouts: !ProcList [[1, 2], [-20], !ProcRepeatChoice {amount: 3, value: 7}]
    items:
      - !Item
        name: !ProcListLabelled [{label: a, value: Wall}, {label: b, value: Ramp}]
        id: one
        positions: !ProcRepeatChoice {amount: 2, value: !Vector3 {x: !ProcList [1, 2], y: 0, z: 3}}
        sizes: [!ProcVector3Scaled {base: !Vector3 {x: 1, y: !ProcList [1, 2], z: 1}, scales: [1, 2, 3]}]
        colors: [!ProcColor 4, !ProcRestrictCombinations {amount: 3, item: !RGB {r: !ProcList [1, 2, 3], g: 0, b: 0}}]
        rotations: [!ProcIf {value: one.positions.0.x, cases: [1, 2], then: [90, 180], labels: [p, q]}]
      - !ProcList
        - !Item {name: GoodGoal, id: two, sizes: [!Vector3 {x: 1, y: 1, z: 1}]}
        - !Item
          name: BadGoal
          rotations: [!ProcIf {value: arenas.0.timeLimit, cases: [!R [0, 150]], then: [1], default: 2}]
"""
NASTY = [
    *(".inf", "-.inf", ".nan", "1e308", "-1e308", "1e-320", "5e-324", "-1", "0", "-0.0", "1", "0.5", "3", "20", "1e15"),
    *("9223372036854775808", "-9223372036854775809", "1" + "0" * 400, "-1" + "0" * 400, "9" * 3999, "1e999"),
    *(
        "1000000000",
        "999999999999",
        "100000000",
        "''",
        '" "',
        "~",
        "true",
        "false",
        "no",
        "0x1F",
        "017",
        "1:30",
        "1_000",
    ),
    *(
        "x" * 300,
        "../" * 100,
        "/dev/stdin",
        "/dev/zero",
        "/",
        ".",
        "ß" * 130,
        '"\\0"',
        '"\\ud800"',
        '"\\u202e\\n"',
        "名前",
    ),
    *("[]", "{}", "[[]]", "[1, 2, 3]", "[" * 31 + "]" * 31, "[" * 33 + "]" * 33, "{a: 1}", "&n [1, *n]", "*n", "!x 1"),
    *("!ProcList []", "!ProcList [1, !ProcList []]", "!ProcColor 0", "!ProcColor 3", "!R [.nan, .inf]", "!R [0, 1]"),
    *("!ProcRepeatChoice {amount: 10000, value: 1}", "!ProcRestrictCombinations {amount: 1000000000000, item: 1}"),
    "!ProcRepeatChoice {amount: 9999, value: !ProcRepeatChoice {amount: 9999, value: !ProcRepeatChoice "
    "{amount: 9999, value: 1}}}",
    "!ProcRestrictCombinations {amount: 1" + "0" * 30 + ", item: !ProcList [1, 2]}",
    "!ProcVector3Scaled {scales: [1e308, .inf, 1" + "0" * 400 + "]}",
    "!ProcIf {value: arenas.0.passMark, cases: [0], then: [1], default: 2}",
    *(
        "{vary: [1, 2]}",
        "{vary: {range: [0, 1000000000]}}",
        "{vary: {uniform: [0, 1]}}",
        "{vary: []}",
        "{if: x, then: 1}",
    ),
    *(
        "{range: [0, 1e15]}",
        "{range: [1, 999999999]}",
        "{range: [0, 1], steps: 1000000000}",
        "{range: [0, 1e-9, 5e-324]}",
    ),
    *("{uniform: [-1e15, 1e15]}", "{normal: [0, 0]}", "{normal: [0, 1], min: 9, max: 8}", "{uniform: [0, .nan]}"),
    "{subsets: [" + ", ".join(map(str, range(300))) + "], size: 299}",
    "{permutations: [" + ", ".join(map(str, range(200))) + "]}",
    "{options: [1, 2], weights: [1e15, 5e-324]}",
]
_ATOMS = [
    *(
        "x",
        "side",
        "both",
        "wall_x",
        "twice",
        "few",
        "order",
        "pair",
        "colour",
        "word",
        "gap",
        "height",
        "1",
        "0",
        "-1",
    ),
    *(
        "0.5",
        "1e15",
        "1e-300",
        "100000000",
        "'a'",
        "''",
        "[]",
        "true",
        "none",
        "pi",
        "999999999999999",
        "red",
        "nobody",
    ),
]
_FUNCTIONS = "abs ceil clamp cos distance floor len max min round sin sqrt tan text open".split()
_OPERATORS = "+ - * / // % ** < <= == != in and or".split()


def expression(rng: random.Random, depth: int = 0) -> str:
    """Return a well-formed expression without regard to its meaning."""
    if depth > 3 or rng.random() < 0.25:
        return rng.choice(_ATOMS)

    def inner() -> str:
        return expression(rng, depth + 1)

    match rng.randrange(8):
        case 0 | 1 | 2:
            return f"({inner()}) {rng.choice(_OPERATORS)} ({inner()})"
        case 3 | 4:
            return f"{rng.choice(_FUNCTIONS)}({', '.join(inner() for _ in range(rng.randrange(4)))})"
        case 5:
            return f"[{', '.join(inner() for _ in range(rng.randrange(4)))}]"
        case 6:
            return f"({inner()})[{inner()}]"
        case _:
            return f"{inner()} if {inner()} else {inner()}"


def nasty(rng: random.Random) -> str:
    """Return an extreme value or a random expression."""
    kind = rng.randrange(10)
    if kind < 6:
        return rng.choice(NASTY)
    text = expression(rng).replace('"', "'")
    return f'"${{{text}}}{text[:3]}"' if kind == 6 else f'"${text}"'


def chain(rng: random.Random) -> str:
    """Return a template in which each name refers to the one before, and its value grows."""
    length = rng.choice((3, 25, 60, 400, 5_000))
    step = rng.choice(
        (
            *('"$[{0}, {0}]"', "${0} + {0}", "[${0}, ${0}]", "{{a: ${0}, b: ${0}}}", '"${{{0}}}${{{0}}}"'),
            *('"$text({0})"', '"$round({0}, -100000000)"', "{0} * {0}", "{0} ** 2", "[[${0}]]"),
            "{{if: {0} == 1, then: ${0}, else: ${0}}}",
        )
    )
    first = rng.choice(("1", "a", "0.5", "[1, 2]", "''"))
    lines = [f"  v{number}: {step.format(f'v{number - 1}')}" for number in range(1, length)]
    if rng.random() < 0.3:
        rng.shuffle(lines)
    value = rng.choice((f"$v{length - 1}", f"$len(v{length - 1})", "$v1", f"{{vary: [$v{length - 1}, 1]}}"))
    rest = rng.choice(("", f"require: v{length - 1} != v0\n", f"labels: {{l: $v{length - 1}}}\n"))
    return f"vary: {{v0: [{first}, 3]}}\nlet:\n" + "\n".join(lines) + f"\n{rest}arenas: [{{time_limit: {value}}}]\n"


def many(rng: random.Random) -> str:
    """Return a template in which something small is repeated very often."""
    often = rng.choice((10, 100, 1_000, 8_000))
    count = range(often)
    match rng.randrange(9):
        case 0:
            names = ", ".join(f"v{i}: [{i}, a]" for i in count)
            return f"vary: {{{names}}}\nrequire: [{', '.join(f'v{i} != 3' for i in count)}]\narenas: [{{}}]\n"
        case 1:
            names = ", ".join(f"v{i}: {{range: [0, 999999999]}}" for i in count)
            return f"vary: {{{names}}}\narenas: [{{time_limit: ${'+'.join(f'v{i}' for i in count[:60])}}}]\n"
        case 2:
            entries = "".join(f"    a{i}: !ProcIf {{value: arenas.0.a{i + 1}, cases: [1], then: [1]}}\n" for i in count)
            return f"!ArenaConfig\narenas:\n  0: {{}}\nx:\n{entries}"
        case 3:
            cases = ", ".join(f"!ProcList [{i}, !ProcColor 3]" for i in count)
            return f"!ArenaConfig\narenas:\n  0: !Arena\n    passMark: !ProcList [{cases}]\n"
        case 4:
            items = "".join(
                f"    - !Item {{name: Wall, id: i{i}, rotations: [!ProcIf {{value: [i{i + 1}.rotations.0, "
                f"i{i + 1}.rotations.0], cases: [[1, 1]], then: [!ProcList [1, 2]], default: 1}}]}}\n"
                for i in count
            )
            last = f"    - !Item {{name: Wall, id: i{often}, rotations: [!ProcList [1, 2]]}}\n"
            return f"!ArenaConfig\narenas:\n  0: !Arena\n    items:\n{items}{last}"
        case 5:
            names = ", ".join(f"n{i}" for i in count[:300])
            row = ", ".join(map(str, count[:300]))
            rows = ", ".join(f"[{row}]" for _ in range(rng.choice((2, 100, 250))))
            return f'vary: {{"{names}": [{rows}]}}\narenas: [{{time_limit: $n1}}]\n'
        case 6:
            base = f'&a "${"+".join(["x"] * 200)}"'
            return f"vary: {{x: [1, 2]}}\narenas: [{{items: [{base}{', *a' * often}]}}]\n"
        case 7:
            nested = "1"
            for depth in range(rng.choice((3, 10, 25))):
                nested = f"!ProcList [{nested}, {depth}]" if depth % 2 else f"[{nested}, {nested}]"
                if len(nested) > 100_000:
                    break
            return f"!ArenaConfig\narenas:\n  0: !Arena\n    blackouts: {nested}\n"
        case _:
            parts = ", ".join(f"x{i}: {{if: x == {i}, then: {{vary: [1, 2]}}, else: {{vary: [1, 2]}}}}" for i in count)
            return f"vary: {{x: {{range: [1, 5]}}}}\nlet: {{{parts}}}\narenas: [{{time_limit: $x1}}]\n"


def sources() -> list[str]:
    """Return all known templates: bundled ones, those of the documentation, and those of the tests, valid and not."""
    bundled = [path.read_text() for name in template_names() if (path := template_path(name))]
    page = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    tests = [A, B, TEMPLATE, *(text for text, *_ in BAD.values() if len(text) < 5_000)]
    return [OURS, CHAINS, SQUARE, FAMILY] * 4 + bundled + page + tests


def replace_values(text: str, rng: random.Random) -> str:
    """Return a template in which a few values, keys or whole branches are replaced."""
    spans = list(re.finditer(r"(?<=[:\[,-] )[^\s,\]}]+|\$[^\n,\]}]+|\[[^\[\]\n]*\]|\{[^{}\n]*\}", text))
    for match in sorted(rng.sample(spans, min(len(spans), rng.choice((1, 1, 1, 2, 4)))), key=lambda m: -m.start()):
        # Half of them come from elsewhere in the template, so that many templates stay valid.
        value = nasty(rng) if rng.random() < 0.5 else rng.choice(spans)[0]
        text = text[: match.start()] + value + text[match.end() :]
    return text


def templates(seed: int) -> Iterator[bytes]:
    """Yield damaged templates without end."""
    rng = random.Random(seed)
    texts = sources()
    trees = [tree for tree in map(_tree, texts) if tree is not None and any(_places(tree))]
    while True:
        kind = rng.randrange(100)
        if kind < 45:
            data = replace_values(rng.choice(texts), rng).encode("utf-8", "surrogatepass")
        elif kind < 70:
            data = mutate(rng.choice(texts).encode(), rng.choice(texts).encode(), rng)
        elif kind < 97:
            data = graft(rng.choice(trees), rng.choice(trees), rng)
        else:
            data = (chain if kind == 97 else many)(rng).encode()
            if rng.random() < 0.5:  # most of the large ones are refused for the same few reasons
                data = data[:600] + b"\n"
        yield data


def _tree(text: str) -> yaml.Node | None:
    try:
        return _without_aliases(yaml.compose(text, Loader=yaml.CSafeLoader)) if len(text) < 6_000 else None
    except (yaml.YAMLError, RecursionError):
        return None


def survive(data: bytes, rng: random.Random) -> bool:
    """Use a template in all ways; return whether it is valid."""
    try:
        template = Template(data if b"\n" in data else data + b"\n", seed=rng.randrange(9))
        template.check()
        assert template.explanation and template.count >= 0
        if template.count:
            _use(template, rng)
    except TemplateError as problem:
        message = str(problem)
        assert "\n" not in message, message
        assert any(word in message for word in ("<text>", "variation", ".yml")), message
        assert len(message) <= LONGEST_SENTENCE, f"{len(message)} characters: {message[:300]}"
        return False
    return True


def _use(template: Template, rng: random.Random) -> None:
    assert len(columns_of(template)) >= 3
    variations = [template.at(template.count - 1), template.draw(rng)]
    kind = rng.randrange(100)
    if kind < 30:
        try:
            variations += template.sample(min(2, template.count), seed=1)
        except ValueError as problem:
            if isinstance(problem, TemplateError) or "can be drawn in balance" not in str(problem):
                raise
    elif kind < 50:
        for name in template.splits:
            part = template.split(name)
            if part.count:
                variations.append(part[part.count - 1])
    elif kind < 51:
        findings(template)
    for variation in variations:
        name = variation.stem() + ".yaml"
        assert len(name.encode()) <= LONGEST_NAME and "/" not in name, name
        assert len(row_of(variation, 0, template)) == len(columns_of(template))
        assert variation.text and repr(variation)
    assert variations[rng.randrange(2)].reading.text


class Hangs(BaseException):
    """A template takes too long."""


def _alarm(number: int, frame: FrameType | None) -> None:
    raise Hangs


def fuzz(seed: int, count: int, skip: int = 0) -> dict[str, Any]:
    """Use `count` templates, and return counts and failures."""
    signal.signal(signal.SIGVTALRM, _alarm)
    rng = random.Random(seed)
    report: dict[str, Any] = {
        "seed": seed,
        "templates": 0,
        "sound": 0,
        "slowest": 0.0,
        "slowest_text": "",
        "failures": {},
    }
    for number, data in enumerate(templates(seed)):
        if number >= count:
            break
        if number < skip:
            continue
        began = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, HANGS_AFTER)
        faulthandler.dump_traceback_later(WAITS_AFTER, exit=True)
        try:
            report["sound"] += survive(data, rng)
        except (Exception, Hangs) as problem:
            frames = traceback.extract_tb(problem.__traceback__)
            where = [f"{Path(each.filename).name}:{each.lineno}" for each in frames if "puzzlebox" in each.filename][
                -3:
            ]
            key = f"{type(problem).__name__} {' '.join(where)}: {str(problem)[:150]}"
            failure = {"number": number, "times": 0, "text": data[:3000].decode("utf-8", "replace")}
            report["failures"].setdefault(key, failure)["times"] += 1
            print(f"template {number} of seed {seed}: {key}", file=sys.stderr, flush=True)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            faulthandler.cancel_dump_traceback_later()
        report["templates"] += 1
        took = time.process_time() - began
        if took > report["slowest"]:
            report["slowest"], report["slowest_text"] = took, data[:300].decode("utf-8", "replace")
    report["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return report


def main() -> None:
    """Limit the memory of this process, use the templates, and print counts and failures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--skip", type=int, default=0)
    options = parser.parse_args()
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    json.dump(fuzz(options.seed, options.count, options.skip), sys.stdout, indent=1)


if __name__ == "__main__":
    main()
