"""The shipped rules, so much quicker that a test can wait for them.

What a rule asks stays as it is; only its times are divided.
"""
import re

import yaml

UNITS = {"s": 1, "m": 60, "h": 3600}
FOR = 600
# keep_firing_for bridges a start of the daemon and its first gate, which take as long in a test.
KEEP = 20
# The times in expressions.
EXPRESSION = {
    "SparkRecurringDrift": 1800,  # 12 s: three corrections take some
    "SparkStateLost": 17280,  # 15 s: each of those who tell it is waited for
    "SparkGidMoved": 1,  # the move of the node that is shown lies in the future
    "SparkDaemonStale": 60,  # 10 s: no part of the test is without a pass for so long
}


def _quick(duration, times):
    number, unit = re.fullmatch(r"(\d+)([smh])", duration).groups()
    return f"{int(number) * UNITS[unit] * 1000 // times}ms"


def _quick_expression(expression, times):
    ranges = re.sub(r"\[(\w+)\]", lambda found: f"[{_quick(found[1], times)}]", expression)
    # "time() - ... > 600": an age, in seconds.
    return re.sub(r"(time\(\) - .*[<>] )(\d+)$",
                  lambda found: f"{found[1]}{int(found[2]) / times}", ranges, flags=re.M)


def quick_rules(text):
    """The text of the quicker rules, and the names of the alerts."""
    rules = yaml.safe_load(text)
    names = []
    for group in rules["groups"]:
        for rule in group["rules"]:
            if "record" in rule:
                continue
            name = rule["alert"]
            names.append(name)
            if "[" in rule["expr"] or "time()" in rule["expr"]:
                # Its lines were folded into one.
                lines = rule["expr"].replace(" or ", "\nor ")
                rule["expr"] = _quick_expression(lines, EXPRESSION[name])
            for key, times in (("for", FOR), ("keep_firing_for", KEEP)):
                if key in rule:
                    rule[key] = _quick(rule[key], times)
    return yaml.safe_dump(rules, sort_keys=False), names
