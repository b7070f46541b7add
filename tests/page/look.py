#!/usr/bin/python3
"""Looks at the daemon's page with Chromium.

    look.py SHOW_STATE FOLDER [NAME...]

For each node, in light, dark and on a phone: what the page is made into, what Chromium says about
it on the way, and a picture in FOLDER, in which all that the page has is to be seen: each text, and
the verdict and each line and port of the drawing in its colour.
"""
import base64
import contextlib
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import urllib.request

import chromium
import form

VIEWS = {
    "light": {"width": 1180, "height": 900, "scheme": "light", "mobile": False},
    "dark": {"width": 1180, "height": 900, "scheme": "dark", "mobile": False},
    "phone": {"width": 360, "height": 740, "scheme": "light", "mobile": True},
}
# A laptop, and the height of two of its screens: what a node without a fault has to fit into.
LAPTOP = {"width": 1366, "height": 768, "scheme": "light", "mobile": False}
FITS_TWO_SCREENS = ("ready", "ring", "switch", "miswired")
TONES = {"ready": "good", "not ready": "bad", "waiting": "warn", "unknown": "warn"}
SECONDS = 30
FORM = "form-"
SEEN = (pathlib.Path(__file__).parent / "seen.js").read_text("utf-8")


class Page(html.parser.HTMLParser):
    """What of a page could do harm, and how its elements nest."""

    VOID = {"meta", "link", "br", "line", "circle", "rect", "input"}

    def __init__(self, takes_token=False):
        super().__init__()
        self.harmful = {"script", "iframe", "object", "img", "style", *([] if takes_token else ["form", "input", "button"])}
        self.wrong = []
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag in self.harmful:
            self.wrong.append(f"there is a <{tag}>")
        for name, value in attrs:
            if name.startswith("on") or name == "style":
                self.wrong.append(f"<{tag}> has {name}={value!r}")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in self.VOID and (not self.open or self.open.pop() != tag):
            self.wrong.append(f"</{tag}> closes nothing")


@contextlib.contextmanager
def served(show, name, how="serve"):
    server = subprocess.Popen([show, name, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              encoding="utf-8")
    try:
        yield f"http://127.0.0.1:{int(server.stdout.readline())}"
    finally:
        server.stdin.close()
        server.wait(SECONDS)


def wrong_markup(source, text, takes_token=False):
    page = Page(takes_token)
    page.feed(text)
    return [f"{source}: {what}" for what in page.wrong] + (
        [f"{source}: left open: {page.open}"] if page.open else [])


def colours(style):
    """The variables of the style sheet, in light and in dark."""
    light, dark = re.findall(r":root \{(.*?)\}", style, re.S)[:2]
    return {scheme: dict(re.findall(r"--([\w-]+): (#\w+)", variables))
            for scheme, variables in (("light", light), ("dark", dark))}


def rgb(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    return [int(digits[i:i + 2], 16) for i in (0, 2, 4)]


def look_at_view(tab, reader, url, view, tone, palette, picture):
    """What is wrong with the page in this view."""
    tab.look_like(**view)
    tab.open(url + "/")
    wrong = tab.complaints()
    wrong += wrong_markup("dom", tab.evaluate("document.documentElement.outerHTML"))
    seen, missing = look_at_picture(tab, reader, view, palette, picture)
    expected = f"rgb({', '.join(map(str, rgb(palette[tone])))})"
    verdicts = [one["colour"] for one in seen["wanted"] if one["what"].startswith("SECTION card verdict")]
    if verdicts != [expected]:
        wrong.append(f"the verdict is {verdicts}, its colour {expected}")
    return wrong + missing


def look_at_picture(tab, reader, view, palette, picture):
    """What there is to be seen, and what of it is not in the picture, or too wide."""
    seen = tab.evaluate(f"{SEEN}; toBeSeen()")
    wrong = []
    if seen["wide"] > view["width"]:
        wrong.append(f"{seen['wide']} pixels wide, on a screen of {view['width']}")
    png = tab.picture()
    picture.write_bytes(base64.b64decode(png))
    found = reader.evaluate(f"{SEEN}; notSeen({json.dumps(png)}, {json.dumps(seen['wanted'])})")
    if found["corner"] != rgb(palette["page"]):
        wrong.append(f"the page is {found['corner']}, not {palette['page']}")
    return seen, wrong + found["missing"]


def look_at_form(tab, reader, show, folder, state):
    """The same of the form that asks for the token: no script, no name of a node, and the token in no URL."""
    wrong = []
    for view, how in VIEWS.items():
        with served(show, "ready", "guard") as url:  # the tries of each are counted anew
            tab.forget()
            tab.look_like(**how)
            form.reach(tab, url, state)
            said = form.complaints(tab)
            text = tab.evaluate("document.documentElement.outerHTML")
            said += wrong_markup("dom", text, takes_token=True)
            words = tab.evaluate("document.title + ' ' + document.body.innerText")
            said += [f"it names {name}" for name in ("spark1", "lab", "enp1s0f0np0") if name in words]
            palette = colours(fetch(url + "/style.css"))[how["scheme"]]
            said += look_at_picture(tab, reader, how, palette, folder / f"form-{state}-{view}.png")[1]
            here = tab.evaluate("location.href")
            said += [f"it is at {here}"] if here.split(url)[1] not in ("/", "/login") else []
            wrong += [f"{view}: {what}" for what in said]
    return wrong


def look(tab, reader, show, folder, name):
    with served(show, name) as url:
        wrong = wrong_markup("served", fetch(url + "/"))
        tone = TONES[json.loads(fetch(url + "/status.json"))["verdict"]]
        palettes = colours(fetch(url + "/style.css"))
        for view, how in VIEWS.items():
            wrong += [f"{view}: {what}" for what in
                      look_at_view(tab, reader, url, how, tone, palettes[how["scheme"]],
                                   folder / f"{name}-{view}.png")]
        if name in FITS_TWO_SCREENS:
            tab.look_like(**LAPTOP)
            tab.open(url + "/")
            high = tab.evaluate(f"{SEEN}; toBeSeen()")["high"]
            if high > 2 * LAPTOP["height"]:
                wrong.append(f"{high} pixels high, two screens of a laptop have {2 * LAPTOP['height']}")
    return wrong


def not_found(tab, reader, show):
    """What of these would not be found: an empty picture, too wide a page, a broken policy."""
    with served(show, "ready") as url:
        tab.look_like(**VIEWS["phone"])
        tab.open(url + "/")
        wanted = tab.evaluate(f"{SEEN}; toBeSeen()")["wanted"]
        tab.evaluate("document.body.hidden = true")
        missing = reader.evaluate(
            f"{SEEN}; notSeen({json.dumps(tab.picture())}, {json.dumps(wanted)})")["missing"]
        tab.evaluate("document.body.hidden = false;"
                     "document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">x');"
                     "document.body.style.minWidth = '400px'")
        seen = tab.evaluate(f"{SEEN}; toBeSeen()")
        return [what for what, found in (("an empty picture", len(missing) == len(wanted) > 0),
                                         ("too wide a page", seen["wide"] > 360),
                                         ("a broken policy", tab.complaints())) if not found]


def all_names(show):
    """The nodes and clusters of show_state, and the form."""
    return subprocess.run([show, "names"], capture_output=True, encoding="utf-8",
                          check=True).stdout.split() + [FORM + state for state in form.STATES]


def fetch(url):
    with urllib.request.urlopen(url, timeout=SECONDS) as answer:
        return answer.read().decode("utf-8")


def main():
    show, folder, *names = sys.argv[1:]
    names = names or all_names(show)
    failed = 0
    with chromium.running() as browser:
        reader, tab = chromium.Tab(browser), chromium.Tab(browser)  # the last one is in front
        for name in names:
            state = name.removeprefix(FORM)
            wrong = (look_at_form if name != state else look)(tab, reader, show, pathlib.Path(folder), state)
            print(f"{name:12}", "wrong" if wrong else "well", flush=True)
            for what in wrong:
                print("   ", what)
            failed += bool(wrong)
        for what in not_found(tab, reader, show):
            print("not found:", what)
            failed += 1
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
