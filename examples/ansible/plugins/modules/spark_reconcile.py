#!/usr/bin/python
# SPDX-License-Identifier: Apache-2.0
"""Calls spark-reconcile on a node, and says what it said."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: spark_reconcile
short_description: Make a node match its cluster.yaml, or wait until it is ready
version_added: "0.2.0"
description:
  - Calls the program C(spark-reconcile) on the node, and reads its exit code and the JSON document of C(--json).
  - Starts no shell, and changes nothing itself. What is changed, refused and rolled back is the program's to decide.
  - In check mode it runs C(plan) in place of C(apply), which changes nothing.
options:
  state:
    description:
      - C(applied) runs C(apply).
      - C(planned) runs C(plan), also without check mode. It fails where C(apply) would refuse the plan.
      - C(ready) runs C(wait). It changes nothing; in check mode it does not wait, since nothing was changed.
      - C(released) runs C(release), which hands the node back as it was before the first apply.
    type: str
    choices: [applied, planned, ready, released]
    default: applied
  file:
    description: The cluster file on the node.
    type: path
    default: /etc/spark-reconcile/cluster.yaml
  content:
    description:
      - The text that I(file) is going to have. C(planned), and C(applied) in check mode, plan with it, since the file is not there
        yet. C(applied) fails before it applies where the program would read another text.
    type: str
  node:
    description: The node of the file. By default it is the one that the machine is by its host name.
    type: str
  program:
    description: The program on the node.
    type: str
    default: spark-reconcile
  accept:
    description:
      - What may be left after an apply without making the task fail. C(waiting), a device is absent (exit code 3); C(unknown),
        something could not be read, or is not the program's to fix (exit code 4).
    type: list
    elements: str
    choices: [waiting, unknown]
    default: []
  change_id:
    description:
      - With C(applied) and C(released), the id of this change elsewhere, as of a ticket. The node shows it in C(history) and C(events),
        and names it in alerts. At most 64 printable ASCII characters without blanks.
    type: str
  busy_timeout:
    description: Seconds in which to try again while another apply runs, as that of the daemon.
    type: int
    default: 60
  cluster:
    description: With C(ready), wait for the nodes of the cluster, by what they told this node.
    type: bool
    default: false
  nodes:
    description: With I(cluster), wait for these nodes alone, by their names in the file.
    type: list
    elements: str
    default: []
  digest:
    description: With I(cluster), the digest of the file that the nodes must have. By default it is the file in force on this node.
    type: str
  timeout:
    description: With C(ready), the longest time to wait, in seconds.
    type: int
    default: 600
author:
  - spark-reconcile
notes:
  - Run it as root (C(become)), but C(planned) and C(ready), which need no root.
"""

EXAMPLES = r"""
- name: Make this node match its file
  spark.reconcile.spark_reconcile:

- name: Ask what a new file would change
  spark.reconcile.spark_reconcile:
    state: planned
    content: "{{ lookup('ansible.builtin.file', 'cluster.yaml', rstrip=false) }}"

- name: Wait for all nodes of the file
  spark.reconcile.spark_reconcile:
    state: ready
    cluster: true
    timeout: 600
"""

RETURN = r"""
exit_code:
  description: Of the program, as C(man spark-reconcile) lists them.
  returned: when the program ran
  type: int
digest:
  description: SHA-256 of the file that was read.
  returned: when the program ran
  type: str
outcome:
  description: Of C(applied) and C(released). nothing_to_do, applied, not_started, rolled_back, rollback_incomplete or refused.
  returned: after an apply
  type: str
steps:
  description: Kind and key of what was changed, or in check mode of what would be.
  returned: but with C(ready)
  type: list
  elements: str
problems:
  description: Why the task failed, or what is left. Each has C(id) (or null), C(what), C(where) and C(remedy).
  returned: always
  type: list
  elements: dict
document:
  description: All that the program said, as schema/output/ describes it.
  returned: when the program ran
  type: dict
"""

import hashlib
import json
import re
import time

from ansible.module_utils.basic import AnsibleModule

USUAL_FILE = "/etc/spark-reconcile/cluster.yaml"
BUSY = 75
WAITING, UNKNOWN = 3, 4
MOST_REMEDIES = 8  # ids of one failure that are explained
ID = re.compile(r"\[(SR-[A-Z]+-[0-9]{3})\]")
SKIPPED_THAT_COUNT = ("waiting", "unknown", "not_enforced")


class Program:
    """The program on this node. Each call has one JSON document on stdout."""

    def __init__(self, module):
        self.module = module
        found = module.params["program"]
        self.path = found if found.startswith("/") else module.get_bin_path(found, required=True)

    def run(self, words, data=None):
        # No shell, no variables: the words reach the program as they are.
        return self.module.run_command(
            [self.path] + words,
            data=data,
            binary_data=True,
            expand_user_and_vars=False,
            environ_update={"LC_ALL": "C.UTF-8", "NO_COLOR": "1"},
        )

    def document(self, verb, words, data=None):
        code, out, err = self.run([verb, "--json"] + words, data)
        try:
            read = json.loads(out)
        except ValueError:
            self.module.fail_json(
                msg="'%s %s' ended with %d and printed no JSON document: %s" % (self.path, verb, code, (err or out).strip()),
                exit_code=code,
                problems=[],
            )
        if read.get("schema") not in ("spark-reconcile/%s/v1" % verb, "spark-reconcile/usage/v1") or read.get("exit_code") != code:
            self.module.fail_json(
                msg="'%s %s' printed a document that this module does not know: schema %s, exit code %s of %d"
                % (self.path, verb, read.get("schema"), read.get("exit_code"), code),
                exit_code=code,
                problems=[],
            )
        return read

    def remedy(self, name):
        """What the program says to do about an id; empty: nothing."""
        code, out, _err = self.run(["explain", "--json", name])
        if code != 0:
            return ""
        try:
            parts = json.loads(out)["explanation"]["parts"]
        except (ValueError, KeyError):
            return ""
        return " ".join(part["text"] for part in parts if part["label"] == "Do")


def place_of(document, where):
    if not where:
        return None
    return "%s:%d:%d" % (document.get("file", ""), where["line"], where["column"])


def problem(what, where=None, name=None, remedy=""):
    if name is None:
        found = ID.search(what)
        name = found.group(1) if found else None
    return {"id": name, "what": ID.sub("", what).strip() if name else what, "where": where, "remedy": remedy}


def problems_of(document, accept):
    """What is in the way, the most important first. `accept`: reasons of skipped resources that are none."""
    found = []
    if "error" in document:
        found.append(problem(document["error"]))
    for finding in document.get("findings", []):
        if finding["severity"] == "error":
            where = "%s:%d:%d" % (finding["file"], finding["line"], finding["column"])
            found.append(problem(finding["message"], where, finding["id"], finding["reason"]))
    if document.get("failure"):
        found.append(problem(document["failure"]))
    found += [problem("does not read as before: " + what) for what in document.get("differs", [])]
    if document.get("unnoted"):
        found.append(problem(document["unnoted"]))
    plan = document.get("left") or document.get("plan") or document
    for refusal in plan.get("refusals", []):
        found.append(problem(refusal["what"], place_of(document, refusal["where"]), refusal["id"]))
    for skipped in plan.get("skipped", []):
        if skipped["why"] in SKIPPED_THAT_COUNT and skipped["why"] not in accept:
            what = "%s: %s %s: %s" % (skipped["why"], skipped["kind"], skipped["key"], skipped["reason"])
            found.append(problem(what, place_of(document, skipped["where"]), skipped["id"]))
    if document["schema"] == "spark-reconcile/wait/v1" and document.get("why"):
        found.append(problem(document["why"]))
    return found


def with_remedies(program, found):
    known = {}
    for one in found:
        name = one["id"]
        if one["remedy"] or name is None or (name not in known and len(known) == MOST_REMEDIES):
            continue
        if name not in known:
            known[name] = program.remedy(name)
        one["remedy"] = known[name]
    return found


def text_of(found):
    lines = []
    for one in found:
        line = "%s: %s" % (one["where"], one["what"]) if one["where"] else one["what"]
        line += " [%s]" % one["id"] if one["id"] else ""
        line += "; do: %s" % one["remedy"] if one["remedy"] else ""
        lines.append(line)
    return "\n".join(lines)


def steps_of(plan):
    return ["%s %s" % (step["kind"], step["key"]) for step in plan.get("steps", [])]


def changed_by(document):
    """Whether the node is not as before. What was rolled back reads as before."""
    outcome = document.get("outcome")
    if outcome == "rollback_incomplete":
        return True
    return outcome == "applied" and any(step["error"] is None for step in document["steps"])


class Task:
    def __init__(self, module):
        self.module, self.params = module, module.params
        self.program = Program(module)
        self.accept = set(self.params["accept"])
        if "unknown" in self.accept:
            self.accept.add("not_enforced")

    def end(self, document, good, changed=False, **more):
        found = problems_of(document, self.accept)
        for one in found:
            if one["where"]:  # `content` is what the file is going to be
                one["where"] = one["where"].replace("<stdin>", self.params["file"])
        result = dict(changed=changed, exit_code=document["exit_code"], digest=document["digest"], document=document, **more)
        if good:
            self.module.exit_json(problems=found, **result)
        found = with_remedies(self.program, found)
        msg = text_of(found) or "spark-reconcile ended with %d" % document["exit_code"]
        self.module.fail_json(msg=msg, problems=found, **result)

    def accepted(self, code):
        return code == 0 or (code == WAITING and "waiting" in self.accept) or (code == UNKNOWN and "unknown" in self.accept)

    def which(self):
        return ["--node=" + self.params["node"]] if self.params["node"] else []

    def where(self):
        """Nothing for the usual file: then the program reads the one in force, which a repository may give."""
        return [] if self.params["file"] == USUAL_FILE else ["--file=" + self.params["file"]]

    def plan(self, release=False):
        """The plan as a document, and as text for --diff."""
        content = self.params["content"]
        data = None
        words = self.which() + (["--release"] if release else [])
        if content is not None and not release:
            words.append("--file=-")
            data = content.encode("utf-8")
        elif not release:
            words += self.where()
        document = self.program.document("plan", words, data)
        text = ""
        if self.module._diff and document.get("steps"):
            _code, text, _err = self.program.run(["plan", "--color=never"] + words, data)
        return document, {"prepared": text}

    def planned(self, release=False):
        document, diff = self.plan(release)
        steps = steps_of(document)
        # Only where it stands for an apply: `planned` is a question.
        would_change = bool(steps) and self.params["state"] != "planned"
        self.end(document, document["exit_code"] == 0, would_change, steps=steps, diff=diff)

    def changed_document(self, verb, words):
        """Tries again while another apply runs: the daemon takes a new file too."""
        end = time.time() + self.params["busy_timeout"]
        while True:
            document = self.program.document(verb, words)
            if document["exit_code"] != BUSY or time.time() >= end:
                return document
            time.sleep(1)

    def compare_content(self):
        """What the program reads is what is meant: else the file is not there, or the node follows a repository."""
        if self.params["content"] is None:
            return
        wanted = hashlib.sha256(self.params["content"].encode("utf-8")).hexdigest()
        document = self.program.document("plan", self.which() + self.where())
        if document["digest"] != wanted:
            what = document.get("error") or "the file of this node has the digest %s" % document["digest"]
            self.module.fail_json(
                msg="%s, and 'content' has %s; do: put the file there first, or where the node follows a repository, commit it there"
                % (what, wanted),
                problems=[problem(what)],
            )

    def change(self, verb, release=False):
        words = self.which() + ["--yes"]
        if self.params["change_id"]:
            words.append("--change-id=" + self.params["change_id"])
        if not release:
            self.compare_content()
            words += self.where()
        diff = self.plan(release)[1] if self.module._diff else {}
        document = self.changed_document(verb, words)
        steps = ["%s %s" % (step["kind"], step["key"]) for step in document.get("steps", []) if step["error"] is None]
        more = {"outcome": document["outcome"]} if "outcome" in document else {}
        self.end(document, self.accepted(document["exit_code"]), changed_by(document), steps=steps, diff=diff, **more)

    def wait(self):
        params = self.params
        words = self.where() + ["--timeout=%ds" % params["timeout"]]
        if params["cluster"]:
            words.append("--cluster")
            if params["nodes"]:
                words.append("--nodes=" + ",".join(params["nodes"]))
            if params["digest"]:
                words.append("--digest=" + params["digest"])
        document = self.program.document("wait", words)
        self.end(document, document["exit_code"] == 0)


def main():
    module = AnsibleModule(
        argument_spec={
            "state": {"type": "str", "choices": ["applied", "planned", "ready", "released"], "default": "applied"},
            "file": {"type": "path", "default": USUAL_FILE},
            "content": {"type": "str"},
            "node": {"type": "str"},
            "program": {"type": "str", "default": "spark-reconcile"},
            "accept": {"type": "list", "elements": "str", "choices": ["waiting", "unknown"], "default": []},
            "change_id": {"type": "str"},
            "busy_timeout": {"type": "int", "default": 60},
            "cluster": {"type": "bool", "default": False},
            "nodes": {"type": "list", "elements": "str", "default": []},
            "digest": {"type": "str"},
            "timeout": {"type": "int", "default": 600},
        },
        supports_check_mode=True,
    )
    state = module.params["state"]
    if state == "ready" and module.check_mode:
        module.exit_json(changed=False, problems=[], skipped=True, msg="check mode: nothing was changed, so nothing is waited for")
    task = Task(module)
    if state == "ready":
        task.wait()
    elif state == "planned":
        task.planned()
    elif module.check_mode:
        task.planned(release=state == "released")
    elif state == "applied":
        task.change("apply")
    else:
        task.change("release", release=True)


if __name__ == "__main__":
    main()
