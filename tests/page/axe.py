#!/usr/bin/python3
"""What axe-core finds in the daemon's page; see tests/page/axe.

    axe.py SHOW_STATE AXE_JS [NAME...]
"""
import pathlib
import subprocess
import sys

import chromium
import look

FAILS = ("serious", "critical")
# Closed sections are not judged.
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
FIND = """axe.run(document).then(({violations}) => violations.map(
  ({id, impact, help, nodes}) => ({id, impact, help, nodes: nodes.map((node) => node.html.slice(0, 160))})))"""
# A text of little contrast, an image without words, and a second main: axe has to find these.
SPOIL = """document.querySelector('footer').style.color = '#ccc';
document.body.insertAdjacentHTML('beforeend', '<img src="data:,"><main>x</main>')"""
SPOILT = {"color-contrast", "image-alt", "landmark-no-duplicate-main"}


def findings(tab, axe, url, view):
    tab.look_like(**view)
    tab.open(url + "/still")
    tab.evaluate(axe)
    tab.evaluate(OPEN_ALL)
    return tab.evaluate(FIND)


def main():
    show, axe, *names = sys.argv[1:]
    axe = pathlib.Path(axe).read_text("utf-8") + "; undefined"
    names = names or subprocess.run([show, "names"], capture_output=True, encoding="utf-8",
                                    check=True).stdout.split()
    failed = 0
    with chromium.running() as browser:
        tab = chromium.Tab(browser)
        for name in names:
            with look.served(show, name) as url:
                for view, how in look.VIEWS.items():
                    for one in findings(tab, axe, url, how):
                        failed += one["impact"] in FAILS
                        print(f"{name} {view}: {one['impact']}: {one['id']}: {one['help']}")
                        for node in one["nodes"][:5]:
                            print("   ", node)
        with look.served(show, names[0]) as url:
            findings(tab, axe, url, look.VIEWS["light"])
            tab.evaluate(SPOIL)
            missed = SPOILT - {one["id"] for one in tab.evaluate(FIND)}
            if missed:
                print("axe does not find:", missed)
                failed += 1
    print(f"axe: {len(names)} nodes in {len(look.VIEWS)} views, {failed} serious or critical findings")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
