"""Every message about a task file, in one table. A test shows each one in full."""

ERROR, WARNING = "error", "warning"

ERRORS: dict[str, str] = {
    # the text as such
    "too-large": "the text has more than {limit} bytes, the most a task file may have",
    "too-deep": "lists and mappings are nested more than {limit} deep here",
    "too-many-nodes": "the text holds more than {limit} values, aliases counted as often as they are used",
    "too-many-items": "the task holds more than {limit} things",
    "too-many-values": "with what its instances share counted for each, the task holds more than {limit} values",
    "not-text": "the file is not text in UTF-8 (byte {offset}); save it as UTF-8",
    "binary": "this is {what}, not a task file; a task file is a text, in YAML",
    "bad-character": "the character {character} is not allowed in YAML",
    "not-yaml": "this is not valid YAML: {problem}",
    "many-documents": "a second document begins here; a task file holds one (put several arenas under `arenas`)",
    "too-many-directives": "the text begins with more than {limit} lines starting with `%`; remove them",
    "bad-alias": "the alias `*{anchor}` {problem}",
    "bad-key": "a key must be a plain text, not {value}",
    "no-space": "an entry of a list begins with `- `; put a space after the `-`",
    "no-dash": "`{key}` is a list; put `- ` before `{first}`",
    "not-a-task": "a task file begins with `arenas:`, a list of arenas; found {value}",
    # keys
    "unknown-key": "`{key}` is not a key of {where}{nearest}",
    "missing-key": "{where} needs `{key}`",
    "misplaced-key": "{thing} does not take `{key}`; it takes {allowed}",
    "duplicate-key": "`{key}` is given twice, first in line {first}",
    "duplicate-arena": "arena id {id} is given twice, first in line {first}",
    "arena-order": "arena ids must increase down the list; {id} follows {previous}",
    "exclusive-keys": "`{key}` and `{other}` exclude each other; give one of them",
    "tag": "`{tag}` is a tag; only Animal-AI's format (`!ArenaConfig`, arenas by number) has them, so leave it out",
    "unknown-tag": "`{tag}` is not a tag of Animal-AI's format{nearest}",
    # values
    "wrong-value": "`{key}` expects {expects}; got {value}{nearest}",
    "ambiguous": "`{text}` is {one} to some YAML readers and {other} to others; "
    'write {write}, or "{text}" in quotes if it is text',
    "not-random": "{thing} cannot have a random `{key}`; left out it is {default}",
    "not-finite": "`{text}` is not a finite number",
    "unknown-thing": "`{name}` is not a thing{nearest}",
    "old-name": "`{name}` is an old name; write `{write}`",
    "unknown-operation": "`{name}` is not an operation{nearest}",
    "blackouts-order": "blackouts must increase; {value} follows {previous}",
    "blackouts-period": "a negative blackout is a period and must be alone, as in [-20]; got {value}",
    "list-length": "`{key}` has {count} but `{other}` has {required}; they must match",
    "mixed-toggle": "`toggle_object` brings one thing, in one or several places; use one operation for each thing",
    "merge-agents": "merged arenas need the same number of agents; "
    "arena {arena} has {count}, arena {previous} has {required}",
    "more-errors": "more than {limit} errors; the rest are not shown",
}

WARNINGS: dict[str, str] = {
    # in both formats
    "short-list": "`{key}` has {count} for {instances} instances of {thing}; the others get {missing}",
    "clamped-size": "{thing} takes sizes from {smallest} to {largest}; {value} becomes {becomes}",
    "clamped-value": "{thing} takes `{key}` from {smallest} to {largest}; {value} becomes {becomes}",
    "ball-size": "only the first number of a ball's size counts; {value} is {becomes}",
    "outside": "{value} is outside the arena, {width} x {depth} m; it will be moved to the edge, where it may not fit",
    "through-fence": "{thing} reaches through the fence by {depth} m; it will be left out",
    "late-blackout": "{value} comes after the time limit {limit}; only food can prolong the episode so far",
    "short-time": "the animal cannot move for the first {frozen} s and then has only {seconds} s: a time limit counts "
    "tenths of a second, so {limit} is {seconds} s; for {limit} s write {write}",
    "agent-on-border": "the agent cannot start on the border; it will start at [1, 0, 1]",
    "pass-mark": "no reward in arena {arena} can reach the pass mark {pass_mark}; the most one can collect is {most} "
    "(food of a given size pays 0.999 of it)",
    "overlap": "{thing} overlaps {other} in line {line}, which is placed first; it will be left out",
    "more-warnings": "more than {limit} warnings; the rest are not shown",
    "empty-arena": "arena {arena} has no items; is a `-` too many, or `items` missing?",
    "lone-weight": "a single reward comes at every press, whatever its weight; for a chance of {value} "
    "write `{key}: {value}`",
    "dark-colour": "colours go from 0 to 255, so {value} is nearly black",
    "merge-last": "arena {arena} is the last; there is no next arena to merge with",
    # in Animal-AI's format: what some build accepted, and what it meant there
    "old-boolean": "`{text}` is read as {meaning}; write {meaning}",
    "old-number": "`{text}` is read as {meaning}; write {meaning}",
    "key-again": "`{key}` is given twice, first in line {first}; the last one counts",
    "arena-again": "arena id {id} is given twice, first in line {first}; the last one counts",
    "both-names": "`{key}` is the old name of `{other}`, which is also given and counts",
    "negative-id": "arena id {id} is negative; it becomes {becomes}",
    "skipped-thing": "`{name}` is not a thing and is skipped{nearest}",
    "no-effect": "`{key}` has no effect on {thing}",
    "extra-entries": "only the first entry of `{key}` counts for {thing}",
    "blackouts-cut": "blackouts must increase; after {previous}, {value} is already past, so the list ends there",
    "clamped-colour": "colours go from 0 to 255; {value} becomes {becomes}",
    "unknown-skin": "`{name}` is not a skin and becomes random; the skins are {allowed}",
    "unknown-symbol": "`{name}` is not a symbol and leaves the board blank{nearest}",
}

MESSAGES = ERRORS | WARNINGS
