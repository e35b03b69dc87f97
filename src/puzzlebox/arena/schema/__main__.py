"""Regenerate the JSON Schema, and in a checkout the pages of things in the documentation."""

from pathlib import Path

from puzzlebox.arena.schema.json_schema import SCHEMA_FILE, schema_text
from puzzlebox.arena.things.page import documentation

DOCS = Path("docs/reference/things")

if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
    print(f"wrote {SCHEMA_FILE.name}")
    if DOCS.parent.is_dir():
        DOCS.mkdir(exist_ok=True)
        pages = documentation()
        for outdated in [path for path in DOCS.glob("*.md") if path.name not in pages]:
            outdated.unlink()
        for name, text in pages.items():
            (DOCS / name).write_text(text, encoding="utf-8")
        print(f"wrote {len(pages)} pages in {DOCS}")
