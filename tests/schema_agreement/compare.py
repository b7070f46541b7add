#!/usr/bin/python3
"""Do the parser and a schema of schema/ accept the same documents?

Asks both about many documents: of each place of the first file with each of the values below as many
as PART (1: all), and COUNT mutations of all files, by a fixed seed. JSON is YAML, so the parser reads what the schema is
asked about. A difference is shown with its document.

    compare.py LANGUAGE VERDICT SCHEMA COUNT PART FILE...

LANGUAGE is what VERDICT is told to read: cluster or agent.
"""
import copy
import json
import random
import re
import subprocess
import sys

import jsonschema
import yaml

SEED = 20240607
MOST_SHOWN = 5

# Values near the edges of what some key takes, and some that no key takes.
VALUES = [
    None, True, False, 0, 1, 2, -1, 1280, 9000, 2**64, 1.0, 1000.0, 1.5, -0.25,
    "", " ", "x", "a b", "a\tb", "a\nb", "größe", "no", "off", "true", "~", "null", "0755", "12:30",
    "unlimited", "64KiB", "16GiB", "16GB", "1234567KiB", "0MiB", "200G", "64Gb/s", "64GB/s", "2.5G",
    "2.5555G", "0G", "20s", "500ms", "20", "0s", "1d", "10.0.0.1/24", "10.0.0.1", "10.0.0.1/024",
    "300.0.0.1/24", "10.0.0.1/999", "10.0.0.1/1000", "2001:db8::1/64", "2001:db8::1", "::/0", "nas",
    "a:0", "a:1", "a:2", "a:15", "a:16", "a:01", "a:", ":0", "a", "enp1s0f0np0", "eth0.100", "en*", "a;b", "eth?", "all", "name_of_16_bytes", "..", ".",
    "a/b", "a" * 63, "a" * 64, "-a", "a-", "a.b_c-d", "/", "/mnt/x", "mnt", "/mnt/../x", "/mnt/x y", "/mnt/x\\",
    "net.core.x", "net/core/x", "net..x", ".x.y", "x", "host", "none", "eui64", "leave", "down",
    "report", "require", "enforce", "ignore", "v1", "v2", "v3", "safe", "performance", "auto", "pinned", "SYS", "$(id)",
    "nqn.2014-08.org.example:a", "a,b", "x" * 223, "x" * 224, "ext4", "Ext4", "ro", "f" * 32,
    "127.0.0.1:9842", "[::1]:1", "[::1]:65536", "127.0.0.1:0", "a:9842", "http://a", "http://a:65535/b?c",
    "http://a:65536", "http://a@b/", "http://a/#b", "http://[::1]:80/", "http://::1/", "https://a/", "http://",
    "https://git.example/a", "https://u:p@git.example/a", "https://t@h/a", "ssh://git@h/a", "ssh://-o@h/a", "ssh://g:p@h/a",
    "file:///a", "file://a/b", "git@h:a", "file:///a b", "https://h/a?b", "v*", "v.*", "*", "**", "v.", ".v", "a..b", "a//b",
    "head", "tag", "range", "0" * 39 + "a", "A" * 40, "ssh-ed25519 AAAA", "ssh-ed25519 AA A", "ssh-dss AAAA", "ssh-rsa AAAA==", "ssh-rsa AAAA===",
    "x/../y", "x/.y", "60s",
    "0b1c2d3e-0000-4000-8000-001122334455", "NCCL_DEBUG", "NCCL_", "nccl_debug", "LD_PRELOAD", "UCX_TLS", "OMPI_MCA_x", "VLLM_x",
    [], {}, [[]], [{}], {"": 1}, {"a": 1}, ["10.0.0.1/24"], ["a:0", "b:0"], ["a:0", "b:0", "c:0"],
    {"a:0": ["10.0.0.1/24"], "b:0": ["10.0.0.2/24"]},
]
EXTRA_KEYS = ["mtuu", "secret", "password", "<<", "", "0", "1", "2", "15", "16", "00", "OMPI_MCA_x", "LD_PRELOAD", "größe", "gateway4"]


def plain(value):
    """The value as JSON can hold it: the keys of cages are numbers to other YAML readers."""
    if isinstance(value, dict):
        return {str(key): plain(child) for key, child in value.items()}
    if isinstance(value, list):
        return [plain(child) for child in value]
    return value


def containers(value):
    found = [value] if isinstance(value, (dict, list)) and value else []
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        found += containers(child)
    return found


def keys_of(value):
    keys = set(value) if isinstance(value, dict) else set()
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        keys |= keys_of(child)
    return keys


def places_in(value, path=()):
    """The path of every key and item."""
    children = value.items() if isinstance(value, dict) else (
        enumerate(value) if isinstance(value, list) else ())
    for key, child in children:
        yield path + (key,)
        yield from places_in(child, path + (key,))


def edges_of(schema):
    """The numbers at and beside each limit of the schema."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in ("minimum", "maximum") and isinstance(value, int):
                yield from (value - 1, value, value + 1)
            yield from edges_of(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from edges_of(value)


# What a document of a language cannot do without.
LEAST = {"cluster": {"version": 1, "cluster": "c", "nodes": {"alpha": {}}}, "agent": {}}


def each_value_in_each_place(whole, least, values):
    for path in places_in(whole):
        # Only the section in question, so that asking is fast.
        section = {**least, path[0]: whole[path[0]]}
        for value in values:
            document = copy.deepcopy(section)
            place = document
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
            yield document


class Mutator:
    def __init__(self, seeds):
        self.random = random.Random(SEED)
        self.seeds = seeds
        self.keys = sorted(set().union(*map(keys_of, seeds))) + EXTRA_KEYS

    def document(self):
        document = copy.deepcopy(self.random.choice(self.seeds))
        for _ in range(self.random.choice([0, 1, 1, 1, 1, 2, 2, 3])):
            self.mutate(document)
        return document

    def mutate(self, document):
        places = containers(document)
        if not places:
            return
        place = self.random.choice(places)
        slot = self.random.choice(list(place) if isinstance(place, dict) else range(len(place)))
        self.random.choice([
            self.drop, self.replace, self.replace, self.edit, self.edit, self.rename, self.add,
            self.wrap, self.transplant, self.repeat,
        ])(document, place, slot)

    def drop(self, _document, place, slot):
        del place[slot]

    def replace(self, _document, place, slot):
        place[slot] = copy.deepcopy(self.random.choice(VALUES))

    def edit(self, _document, place, slot):
        value = place[slot]
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            return
        if isinstance(value, int):
            place[slot] = self.random.choice(
                [value - 1, value + 1, value + 10**6, value - 10**6, value + 0.0])
        else:
            place[slot] = self.edited(value)

    def edited(self, text):
        at = self.random.randrange(len(text) + 1)
        character = self.random.choice("0129azAZ.-_:/, \\\"'%<>{}[]#&*!|@`$é")
        return self.random.choice([
            text[:at] + character + text[at:], text[:at] + character + text[at + 1:],
            text[:at] + text[at + 1:], text + text, text.upper(), text[:at],
        ])

    def rename(self, _document, place, slot):
        if isinstance(place, dict):
            key = self.random.choice([self.edited(slot), self.random.choice(self.keys)])
            place[key] = place.pop(slot)

    def add(self, _document, place, _slot):
        value = copy.deepcopy(self.random.choice(VALUES))
        if isinstance(place, dict):
            place[self.random.choice(self.keys)] = value
        else:
            place.append(value)

    def wrap(self, _document, place, slot):
        place[slot] = self.random.choice([[place[slot]], {"a": place[slot]}, str(place[slot])])

    def transplant(self, document, place, slot):
        place[slot] = copy.deepcopy(self.random.choice(containers(document)))

    def repeat(self, _document, place, slot):
        if isinstance(place, list):
            place.append(copy.deepcopy(place[slot]))


def depth(value):
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if children is None else 1 + max(map(depth, children), default=0)


def is_integer(_checker, value):
    """As YAML 1.2 types the text: 1000.0 is a float (10.3.2). JSON Schema sees numbers and no text, so
    to an editor 1000.0 is the integer 1000, and the parser, which reads texts, refuses it."""
    return isinstance(value, int) and not isinstance(value, bool)


def whole_pattern(validator, pattern, instance, _schema):
    """As ECMA 262 has it: '$' is the end of the text, and not the place before a last newline."""
    if validator.is_type(instance, "string") and not re.search(pattern.replace("$", r"\Z"), instance):
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")


def main():
    language, verdict, schema_file, count, part, *files = sys.argv[1:]
    with open(schema_file, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.validators.extend(
        jsonschema.Draft7Validator, {"pattern": whole_pattern},
        type_checker=jsonschema.Draft7Validator.TYPE_CHECKER.redefine("integer", is_integer))(schema)

    seeds = []
    for name in files:
        with open(name, encoding="utf-8") as file:
            seeds.append(plain(yaml.safe_load(file)))
    mutator = Mutator(seeds)
    # Depth is a limit of the parser on YAML, which a schema cannot express.
    documents = seeds + [d for d in (mutator.document() for _ in range(int(count))) if depth(d) < 16]
    values = VALUES + sorted(set(edges_of(schema)) - {v for v in VALUES if type(v) is int})
    documents += [d for d in each_value_in_each_place(seeds[0], LEAST[language], values)
                  if mutator.random.random() < float(part)]
    lines = [json.dumps(document, ensure_ascii=False) for document in documents]
    answer = subprocess.run([verdict, language], input="\n".join(lines) + "\n", capture_output=True,
                            encoding="utf-8", check=True).stdout.splitlines()
    assert len(answer) == len(lines), "one verdict a document"

    valid = differences = 0
    for document, line, parsed in zip(documents, lines, answer):
        is_valid = validator.is_valid(document)  # up to the first error
        valid += is_valid
        if (parsed == "valid") == is_valid:
            continue
        differences += 1
        if differences <= MOST_SHOWN:
            print(f"document: {line}\n  parser: {parsed}")
            for error in list(validator.iter_errors(document))[:3] or ["valid"]:
                print("  schema:", getattr(error, "message", error))
    print(f"{len(lines)} documents, {valid} of them valid, {differences} differences")
    # A generator that breaks everything, or nothing, would compare little.
    assert len(lines) // 20 < valid < len(lines) * 19 // 20
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
