"""What the walk finds and is not mended yet, each with the way there. --strict counts these as failures too.

A row is as narrow as the finding: what it covers is not looked for. Whoever mends one deletes its row.
"""

import re

from model import Wrong

ROWS: tuple[tuple[str, str], ...] = (
    (r"^not given back: addr \S+ \S+ is (None|\(\(25, .*\),\)), was ",
     "apply of an address that a person made, or of `exclusive` beside one; release: it is gone"),
    (r"^not given back: sysctl net\.ipv4\.conf\.\S+\.arp_(ignore|announce) is ",
     "apply; device away; apply; device back; release: arp_ignore and arp_announce stay"),
    (r"^(apply|release|rollback|apply --confirm|apply saved\.plan) ends 7: [\s\S]*after it was set to absent",
     "sysctl 5, apply; 6 as before us, apply; line deleted: each apply and release ends 7"),
    (r"^touched: mode \S+ is nobody's wish",
     "a link with `up` alone in the file; somebody changes its IPv6 link-local mode; release: that is changed back too"),
    (r"^rollback of a killed release ends 8: ", "a killed release cannot be rolled back"),
    (r"^not given back: /etc/hosts is (.*)\\n', was \1'$",
     "/etc/hosts without a newline at its end gets one, and keeps it after a release"),
    (r"^(taken back|rolled back), yet: (addr|route) \S+ 2001:db8:",
     "`up: false` for a link with somebody's IPv6 address, apply, rollback: ends 0, and the address is gone"),
    (r"^not given back: sysctl net\.ipv4\.tcp_\w+ is '(7200|600|1234|75|60|7|6|5|4)'",
     "a sysctl as the file has it before the first apply; somebody changes it; apply; release: it gets the changed value"),
    (r"ends 8: [\s\S]*address lan0 203\.0\.113\.9", "`exclusive` beside one IPv4 address in two lengths: 8"),
    (r"ends 8: [\s\S]*set addr_gen_mode of '\S+' to 1: Address family not supported",
     "`mtu: 1200` for a rail with an IPv6 link-local address: 8"),
    (r"^(a failed \w+ changes|rolled back, yet|taken back, yet): file etc/sysctl\.d/90-spark-reconcile\.conf ",
     "an undo makes our sysctl.d file anew, with another mode than somebody gave it"),
)


def reason(wrong: Wrong) -> str | None:
    return next((why for pattern, why in ROWS if re.search(pattern, str(wrong))), None)
