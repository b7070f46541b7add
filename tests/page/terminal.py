#!/usr/bin/python3
"""Draws what a terminal shows: each SCREEN.txt of FOLDER, with its colours, as IMAGES/SCREEN.png.

    terminal.py FOLDER IMAGES
"""
import base64
import html
import pathlib
import re
import sys

import chromium

# What this program uses of the select graphic rendition (ECMA-48), on a dark terminal.
LOOKS = {"1": "font-weight: bold", "2": "color: #8b949e", "31": "color: #ff8a80",
         "32": "color: #5fcb8b", "33": "color: #e8b455", "36": "color: #6cc7e0"}
STYLE = """body { margin: 0; padding: 18px 22px; background: #14181d; color: #e4e8ec; width: max-content; }
pre { margin: 0; font: 14px/1.4 "DejaVu Sans Mono", monospace; }"""


def markup(text):
    """As HTML: each run of characters in its colour."""
    parts, looks = [], []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", text):
        codes = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if codes:
            for code in (codes[1] or "0").split(";"):
                looks = [] if code == "0" else [*looks, LOOKS[code]]
        elif piece:
            parts.append(f'<span style="{"; ".join(looks)}">{html.escape(piece)}</span>')
    return "".join(parts)


def main():
    folder, images = map(pathlib.Path, sys.argv[1:])
    screens = sorted(folder.glob("*.txt"))
    with chromium.running() as browser:
        tab = chromium.Tab(browser)
        tab.look_like(width=760, height=100, scheme="dark", mobile=False)
        for screen in screens:
            text = screen.read_text("utf-8").rstrip()
            page = (f"<!DOCTYPE html><meta charset=utf-8><style>{STYLE}</style>"
                    f"<pre>{markup(text)}</pre>")
            tab.open("data:text/html;base64," + base64.b64encode(page.encode()).decode())
            image = images / f"{screen.stem.split('-')[1]}.png"
            image.write_bytes(base64.b64decode(tab.picture()))
            print(image)
    return 0 if screens else 1


if __name__ == "__main__":
    sys.exit(main())
