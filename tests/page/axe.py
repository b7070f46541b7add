#!/usr/bin/python3
"""What axe-core finds in the daemon's page; see tests/page/axe.

    axe.py SHOW_STATE AXE_JS [NAME...]
"""
import pathlib
import sys

import chromium
import form
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


def findings(tab, axe, url, view, state=""):
    """`state`: of the form."""
    tab.look_like(**view)
    if state:
        form.reach(tab, url, state)
    else:
        tab.open(url + "/still")
    tab.evaluate(axe)
    tab.evaluate(OPEN_ALL)
    return tab.evaluate(FIND)


def main():
    show, axe, *names = sys.argv[1:]
    axe = pathlib.Path(axe).read_text("utf-8") + "; undefined"
    names = names or look.all_names(show)
    failed = 0
    with chromium.running() as browser:
        tab = chromium.Tab(browser)
        for name in names:
            state = name.removeprefix(look.FORM) if name.startswith(look.FORM) else ""
            for view, how in look.VIEWS.items():
                with look.served(show, *(["ready", "guard"] if state else [name])) as url:
                    for one in findings(tab, axe, url, how, state):
                        failed += one["impact"] in FAILS
                        print(f"{name} {view}: {one['impact']}: {one['id']}: {one['help']}")
                        for node in one["nodes"][:5]:
                            print("   ", node)
        with look.served(show, "ready") as url:
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
