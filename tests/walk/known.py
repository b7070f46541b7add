"""What the walk finds and is not mended yet, each with the way there. --strict counts these as failures too.

A row is as narrow as the finding: what it covers is not looked for. Whoever mends one deletes its row.
"""

import re

from model import Wrong

ROWS: tuple[tuple[str, str], ...] = (
    (r"^touched: mode \S+ is nobody's wish",
     "a link with `up` alone in the file; somebody changes its IPv6 link-local mode; release: that is changed back too"),
    (r"^(taken back|rolled back), yet: (addr \S+ 2001:db8:|route )",
     "the kernel takes somebody's address or route along, with a link that goes down or an address that goes; "
     "apply --confirm or a kill, then rollback: ends 0, and it is gone"),
)


def reason(wrong: Wrong) -> str | None:
    return next((why for pattern, why in ROWS if re.search(pattern, str(wrong))), None)
