#!/usr/bin/python3
"""What nodes send each other and what spark-peers reports, as recorded of each version, is what its schema says.

    recorded.py SCHEMA_FOLDER RECORDED
"""
import json
import pathlib
import sys

import jsonschema

MAGIC = "SPARKHI1"


def main():
    schemas, recorded = map(pathlib.Path, sys.argv[1:])
    schema = json.loads((schemas / "peers-report.schema.json").read_text("utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    looked_at = wrong = 0
    for version in sorted((recorded / "peers").iterdir()):
        hello = (version / "hello").read_text("utf-8").removeprefix(MAGIC)
        parts = {"hello": ("hello", hello), "details": ("details", (version / "details.json").read_text("utf-8")),
                 "report": (None, (version / "report.json").read_text("utf-8"))}  # fmt: skip
        for name, (definition, text) in parts.items():
            of = schema if definition is None else {**schema["definitions"][definition],
                                                    "definitions": schema["definitions"]}  # fmt: skip
            looked_at += 1
            for error in jsonschema.Draft7Validator(of).iter_errors(json.loads(text)):
                print(version.name, name, list(error.absolute_path), error.message[:300], sep=": ")
                wrong += 1
            # A member that the schema does not know was forgotten there.
            unknown = set(json.loads(text)) - set(of["properties"])
            if unknown:
                print(f"{version.name}: {name}: not in the schema: {', '.join(sorted(unknown))}")
                wrong += 1
    return 1 if wrong or not looked_at else 0


if __name__ == "__main__":
    sys.exit(main())
