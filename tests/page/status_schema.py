#!/usr/bin/python3
"""/status.json of every node that the daemon's tests know is what its schema says.

    status_schema.py SHOW_STATE SCHEMA_FOLDER
"""
import json
import pathlib
import subprocess
import sys

import jsonschema

# Its ids, kinds and version are no such things, which the schema is to find.
NASTY = "hostile"


def shown(program, *words):
    return subprocess.run([program, *words], capture_output=True, encoding="utf-8",
                          check=True).stdout


def main():
    program, folder = sys.argv[1:]
    schemas = {path.name: json.loads(path.read_text("utf-8"))
               for path in pathlib.Path(folder).glob("*.json")}
    name = "daemon-status.schema.json"
    validator = jsonschema.Draft7Validator(
        schemas[name], resolver=jsonschema.RefResolver(name, schemas[name], store=schemas))
    validator.check_schema(schemas[name])
    wrong = 0
    for state in shown(program, "names").split():
        errors = list(validator.iter_errors(json.loads(shown(program, state, "/status.json"))))
        if state == NASTY:
            wrong += not errors
            print(state, "passes for a good one" if not errors else "refused, as it should be")
            continue
        wrong += len(errors)
        for error in errors:
            print(state, list(error.absolute_path), error.message[:300], sep="\n  ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
