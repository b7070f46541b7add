"""What everybody can read of a node: this list, and nothing else."""

import re

# A pattern for the whole path, and why everybody may read it.
READABLE = {
    r"/etc/spark-reconcile(/(ask|hooks)\.d)?": "the names of files that root puts there",
    r"/etc/spark-reconcile/(cluster|agent)\.yaml": "plan, status and gate need no root; secrets are in files of their own",
    r"/etc/spark-reconcile/(signers|trusted)": "public keys",
    r"/var/lib/spark-reconcile-judge(/(judgement\.json|cluster\.yaml))?": "the file in force, which plan and status read",
    r"/run/spark-reconcile(/apply)?": "the names of what is in it",
    r"/run/spark-reconcile/hello\.socket": "the daemon answers root and spark-peers alone, by what the kernel says of who connects",
    r"/run/spark-reconcile/(status|published|events|peers-order|board|node-state|web|record|rails)\.json": "what the daemon says to everybody",
    r"/run/spark-reconcile/(metrics\.prom|ready)": "what the daemon says to everybody",
    r"/run/spark-reconcile-(peers|web)(/[a-z-]+\.json)?": "what the page shows",
    r"/run/spark-reconcile(-(peers|web))?/alive": "until when what is beside it counts",
}


def not_listed(paths: list[str]) -> list[str]:
    return [path for path in paths if not any(re.fullmatch(pattern, path) for pattern in READABLE)]
