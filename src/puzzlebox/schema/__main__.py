"""Write the generated files anew: the JSON Schema, and in a checkout the table of things in the documentation."""

from pathlib import Path

from puzzlebox.schema.json_schema import SCHEMA_FILE, schema_text
from puzzlebox.things.page import markdown

DOCS = Path("docs/things.md")

if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
    print(f"wrote {SCHEMA_FILE.name}")
    if DOCS.parent.is_dir():
        DOCS.write_text(markdown(), encoding="utf-8")
        print(f"wrote {DOCS}")
