"""A verb that the program has and the fault matrix does not know makes it fail."""

import unittest

import verbs

HELP = "Usage: spark-reconcile [OPTIONS] [SUBCOMMAND]\n\nOptions:\n  -f,--file TEXT  the file\n\nSubcommands:\n" + "".join(
    f"  {name:<28}about it\n{'':<30}and more\n" for name in (*verbs.CHANGING, *verbs.LOOKING)
) + "\nFirst steps:  spark-reconcile plan\n              spark-reconcile apply\n"


class EveryVerb(unittest.TestCase):
    def test_is_known(self) -> None:
        self.assertEqual(verbs.forgotten(HELP), [])

    def test_is_found_beside_its_alias_and_with_a_long_name(self) -> None:
        self.assertEqual(verbs.listed("  plan, diff   show\n  have-a-very-long-name\n       about it\n"),
                         ["plan", "have-a-very-long-name"])

    def test_that_is_new_is_missed(self) -> None:
        problems = verbs.forgotten(HELP.replace("  apply ", "  adopt  about\n  apply "))
        self.assertEqual(len(problems), 1)
        self.assertIn("'adopt'", problems[0])

    def test_that_is_gone_is_missed(self) -> None:
        self.assertEqual(verbs.forgotten(HELP.replace("  pause ", "  -pause")), ["'pause' is no verb any more"])

    def test_that_changes_something_goes_every_way(self) -> None:
        for verb in ("apply", "confirm", "rollback", "release", "daemon", "pause", "resume", "follow", "sync"):
            self.assertIn(verb, verbs.CHANGING)


if __name__ == "__main__":
    unittest.main()
