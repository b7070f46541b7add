"""What the walk finds and is not mended yet, each with the way there. --strict counts these as failures too.

A row is as narrow as the finding: what it covers is not looked for. Whoever mends one deletes its row.
"""

import re

from model import Wrong

ROWS: tuple[tuple[str, str], ...] = (
    (r"^touched: addr lan0 203\.0\.113\.9 .* was None",
     "`exclusive` took an address; somebody adds it with another length, and the line goes; later that device comes "
     "back without it: an apply gives back what `exclusive` took"),
    (r"^not given back: addr lan0 203\.0\.113\.77 is None",
     "`exclusive` took an address that was the secondary of one which the file then names, with another length: the "
     "line goes, a release: it does not come back"),
)


def reason(wrong: Wrong) -> str | None:
    return next((why for pattern, why in ROWS if re.search(pattern, str(wrong))), None)
