#!/usr/bin/python3
"""Puts nine pictures on one sheet: of a cluster's page well, with a cable that is wrong, with a node that is
silent; or of the form that asks for the token. Each in light, in dark and on a phone, the upper part of it.

    sheet.py FOLDER NAME SHEET.png
"""
import base64
import pathlib
import sys

import chromium

STATES = {"": "all is well", "-wrong": "a cable is wrong", "-silent": "a node is silent"}
FORM_STATES = {"-asked": "first", "-wrong": "after a wrong token", "-closed": "after five in a minute"}
# How wide each is shown, and how much of it.
WIDTHS = {"light": 640, "dark": 640, "phone": 212}
HEIGHT, FORM_HEIGHT = 500, 260
STYLE = """body { margin: 0; padding: 16px; background: #8a949e; width: max-content; font: 15px sans-serif; }
.row { display: flex; gap: 14px; margin: 6px 0 18px; }
.row > div { overflow: hidden; border-radius: 6px; }
img { display: block; width: 100%; }
h2 { margin: 0; font-size: 16px; color: #111418; }"""


def main():
    folder, name, sheet = sys.argv[1:]
    rows = ""
    states, height = (FORM_STATES, FORM_HEIGHT) if name == "form" else (STATES, HEIGHT)
    for state, words in states.items():
        pictures = ""
        for view, width in WIDTHS.items():
            picture = pathlib.Path(folder, f"{name}{state}-{view}.png").read_bytes()
            pictures += (f'<div style="width: {width}px; height: {height}px">'
                         f'<img src="data:image/png;base64,{base64.b64encode(picture).decode()}"></div>')
        rows += f'<h2>{words}</h2><div class="row">{pictures}</div>'
    page = pathlib.Path(folder, f"{name}-sheet.html").resolve()
    page.write_text(f"<!DOCTYPE html><meta charset=utf-8><style>{STYLE}</style>{rows}", "utf-8")
    with chromium.running() as browser:
        tab = chromium.Tab(browser)
        tab.look_like(width=1552, height=100, scheme="light", mobile=False)
        tab.open(page.as_uri())
        pathlib.Path(sheet).write_bytes(base64.b64decode(tab.picture()))
    print(sheet)
    return 0


if __name__ == "__main__":
    sys.exit(main())
