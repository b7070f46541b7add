#!/usr/bin/python3
"""What the verbs print with --json is what schema/output/ says.

    outputs.py SPARK_RECONCILE FACTS_OF_WORLD SCHEMA_FOLDER PLAN_CASES

Runs as anyone: plans are made from the facts of the machines of the golden cases.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema


GENERATION = {"number": 1, "id": "1-1", "at": "2026-01-31T09:30:00Z", "by": "the daemon", "file": "cluster.yaml",
              "digest": "a", "changes": 4, "outcome": "applied"}
COMMIT = {"id": 40 * "a", "subject": "mtu 9000", "time": 1769851800}
HISTORY = {"schema": "spark-reconcile/history/v1", "generations": [
    GENERATION, {**GENERATION, "number": 2, "commit": COMMIT},
    {**GENERATION, "number": 3, "change_id": "CHG0031", "commit": {**COMMIT, "principal": "alice@lab", "tag": "v1"}}]}


def run(program, arguments):
    return subprocess.run([program, *arguments], capture_output=True, encoding="utf-8", check=False)


def validators(folder):
    schemas = {path.name: json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")}
    for name, schema in schemas.items():
        jsonschema.Draft7Validator.check_schema(schema)
        resolver = jsonschema.RefResolver(name, schema, store=schemas)
        yield name.removesuffix(".schema.json"), jsonschema.Draft7Validator(schema, resolver=resolver)


def command_lines(facts_of_world, cases, scratch):
    invalid = scratch / "invalid.yaml"
    invalid.write_text("version: 1\nclustre: lab\n", "utf-8")
    for case in sorted(cases.iterdir()):
        world = run(facts_of_world, [case / "world.yaml", case / "cluster.yaml"])
        if world.returncode != 0:
            sys.exit(world.stderr)
        facts = scratch / f"{case.name}.json"
        facts.write_text(world.stdout, "utf-8")
        yield "plan", ["plan", "-f", case / "cluster.yaml", "--facts", facts]
        yield "validate", ["validate", "-f", case / "cluster.yaml"]
        yield "export", ["export", "-f", case / "cluster.yaml", "--facts", facts]
        yield "topology", ["topology", "-f", case / "cluster.yaml"]
    for verb in ("validate", "topology", "plan", "status", "facts", "gate", "export", "bench", "jobs"):
        yield verb, [verb, "-f", invalid]
        yield verb, [verb, "-f", scratch / "absent.yaml"]
    for other in (cases / "ring_with_drift" / "cluster.yaml", invalid, scratch / "absent.yaml"):
        for case in ("everything_a_file_can_ask_for", "a_cage_without_its_card"):
            yield "validate", ["validate", "-f", cases / case / "cluster.yaml", "--against", other,
                               "--detailed-exitcode"]
            yield "topology", ["topology", "-f", cases / case / "cluster.yaml", "--diff", other]
    yield "validate", ["validate", "-f", cases / "ring_with_drift" / "cluster.yaml", "--all-nodes"]
    node = ["-f", cases / "ring_from_the_box" / "cluster.yaml", "-n", "spark1"]
    yield "init", ["init", "--pair"]
    yield "init", ["init", "--pair", "--names", "one"]
    yield "init", ["init", "--pair", "-o", scratch / "new.yaml"]
    yield "init", ["init", "--discover"]
    # Nobody can be asked: what it prints once a file came is looked at by `Discover.*` of tests/process.
    yield "join", ["join"]
    yield "plan", ["plan", *node, "--root", scratch, "--out", f"{scratch}/saved.plan"]
    yield "bench", ["bench", "--all", *node, "--root", scratch]
    yield "bench", ["bench", "elsewhere", *node, "--root", scratch]
    yield "wait", ["wait", "--timeout", "10ms", "--root", scratch]
    yield "pause", ["pause", "--for", "1h", "--reason", "a test", "--change-id", "CHG0031", "--root", scratch]
    yield "mute", ["mute", "--root", scratch]
    yield "mute", ["mute", "--end", "SparkDrift", "--root", scratch]
    yield "mute", ["mute", "SparkDrift", "--for", "1h", "--why", "a test", "--root", scratch]
    yield "mute", ["mute", "SparkDrifd", "--for", "1h", "--why", "a test", "--root", scratch]
    yield "events", ["events", "--root", scratch]
    for word in ("SR-GATE-016", "SparkContested", "fabric.cables", "spark_reconcile_verdict", "nonsense"):
        yield "explain", ["explain", word, "--root", scratch]
    yield "explain", ["explain", "--root", scratch]
    yield "explain", ["explain", *node, "--root", scratch]
    for word in ("mtu/enp1s0f0np0", "mtu/enp1s0f9np9"):
        yield "explain", ["explain", word, *node, "--root", scratch]
    yield "explain", ["explain", "mtu/enp1s0f0np0", "-f", invalid]
    yield "explain", ["explain", "mtu/enp1s0f0np0", "-f", scratch / "absent.yaml"]
    yield "resume", ["resume", "--root", scratch]
    yield "follow", ["follow", "--root", scratch]
    yield "follow", ["follow", "https://u:p@git.example.org/lab.git", "--root", scratch]
    yield "sync", ["sync", "--root", scratch]
    yield "confirm", ["confirm", "--root", scratch]
    yield "history", ["history", "--root", scratch]
    followed = scratch / "followed"
    records = followed / "var/lib/spark-reconcile/spark1"
    records.mkdir(parents=True)
    (records / "history.json").write_text(json.dumps(HISTORY), "utf-8")
    yield "history", ["history", "--root", followed]
    yield "history", ["history", "diff", "--root", scratch]
    yield "rollback", ["rollback", "--overdue", "--root", scratch]
    yield "rollback", ["rollback", "--root", scratch]
    yield "doctor", ["doctor", "--root", scratch]
    yield "doctor", ["doctor", "--bundle", scratch / "bundle.json", "--root", scratch]
    yield "gate", ["gate", "--checklist", "--root", scratch]
    for verb in ("plan", "status", "facts", "gate", "export", "jobs"):
        yield verb, [verb, *node, "--root", scratch]
    yield "jobs", ["jobs", "--root", scratch]
    yield "jobs", ["jobs", "--since", "24h", "--root", scratch]
    yield "jobs", ["jobs", "7", "--root", scratch]
    yield "events", ["events", "--at", "03:12", "--file", node[1], *node[2:], "--root", scratch]
    yield "events", ["events", "--at", "03:12", "--root", scratch]
    yield "facts", ["facts", "--share", *node, "--root", scratch]
    yield "apply", ["apply", *node, "--root", scratch / "absent"]
    yield "version", ["version"]
    yield "version", ["--version"]
    yield "version", ["version", "--root", scratch / "absent"]
    for words in (["aply"], ["plan", "--nonsense"], ["help", "aply"], ["-q"],
                  ["apply", "x.plan", "-n", "spark1"], ["facts", "-o", "report.json"],
                  ["pause", "--for", "1000h"]):
        yield "usage", words


def bundles(program, cases, scratch):
    """What `doctor --bundle` writes, by its name."""
    for name, words in {"bundle.json": [], "kept.json": ["--keep-names"], "invalid.json": ["-f", scratch / "invalid.yaml"],
                        "node.json": ["-f", cases / "ring_from_the_box" / "cluster.yaml", "-n", "spark1"]}.items():
        run(program, ["doctor", "--bundle", scratch / name, "--root", scratch, *words])
        yield name, json.loads((scratch / name).read_text("utf-8"))


def main():
    program, facts_of_world, schema_folder, cases = sys.argv[1:]
    by_verb = dict(validators(pathlib.Path(schema_folder)))
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for verb, words in command_lines(facts_of_world, pathlib.Path(cases), pathlib.Path(scratch)):
            arguments = [str(word) for word in words] + ["--json"]
            outcome = run(program, arguments)
            try:
                output = json.loads(outcome.stdout)
            except ValueError:
                output = None
            for error in by_verb[verb].iter_errors(output):
                wrong += 1
                print(" ".join(arguments), list(error.absolute_path), error.message[:300], sep="\n  ")
            if output is not None and output.get("exit_code") != outcome.returncode:
                wrong += 1
                print(" ".join(arguments), "ended with", outcome.returncode)
        heard = by_verb["status"].evolve(schema=by_verb["status"].schema["properties"]["heard"])
        for name, validator in {"view.json": by_verb["cluster-view"], "node.json": heard}.items():
            for recorded in sorted((pathlib.Path(cases).parent / "cluster").glob(f"*/{name}")):
                for error in validator.iter_errors(json.loads(recorded.read_text("utf-8"))):
                    wrong += 1
                    print(recorded, list(error.absolute_path), error.message[:300], sep="\n  ")
        for name, bundle in bundles(program, pathlib.Path(cases), pathlib.Path(scratch)):
            for error in by_verb["bundle"].iter_errors(bundle):
                wrong += 1
                print(name, list(error.absolute_path), error.message[:300], sep="\n  ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
