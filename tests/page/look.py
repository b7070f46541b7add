#!/usr/bin/python3
"""Looks at the daemon's page with Chromium.

    look.py SHOW_STATE FOLDER [NAME...]

For each node: what the page is made into (--dump-dom), what Chromium says about it on the way, and
pictures in FOLDER.
"""
import contextlib
import html
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

# Chromium's own windows are at least 500 pixels wide: a phone is a frame inside one.
PHONE = 360
VIEWS = {"light": (1180, 1500, []), "dark": (1180, 1500, ["--blink-settings=preferredColorScheme=0"])}
SECONDS = 60


class Page(html.parser.HTMLParser):
    """What of a page could do harm, and how its elements nest."""

    VOID = {"meta", "link", "br", "line", "circle", "rect"}

    def __init__(self):
        super().__init__()
        self.wrong = []
        self.text = []
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "iframe", "object", "img", "style", "form"):
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

    def handle_data(self, data):
        self.text.append(data)


@contextlib.contextmanager
def served(show, name):
    server = subprocess.Popen([show, name, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              encoding="utf-8")
    try:
        yield f"http://127.0.0.1:{int(server.stdout.readline())}"
    finally:
        server.stdin.close()
        server.wait(SECONDS)


def chromium(profile, url, *options):
    """What it wrote to stdout, and the lines of its log that are about the page."""
    done = subprocess.run(
        ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
         f"--user-data-dir={profile}", "--enable-logging=stderr", "--log-level=0", *options, url],
        capture_output=True, encoding="utf-8", timeout=SECONDS, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if ":CONSOLE" in line]


def look(show, folder, profile, name):
    wrong = []
    with served(show, name) as url:
        dom, said = chromium(profile, url + "/", "--dump-dom")
        for source, text in (("served", fetch(url + "/")), ("dom", dom)):
            page = Page()
            page.feed(text)
            wrong += [f"{source}: {what}" for what in page.wrong]
            if page.open:
                wrong.append(f"{source}: left open: {page.open}")
        json.loads(fetch(url + "/status.json"))
        for view, (width, height, options) in VIEWS.items():
            wrong += chromium(profile, url + "/", f"--window-size={width},{height}", *options,
                              f"--screenshot={folder / f'{name}-{view}.png'}")[1]
        wrong += look_on_a_phone(folder, profile, name, url)
    return wrong + said


def look_on_a_phone(folder, profile, name, url):
    """In a frame of a page of ours, and as its text, since the daemon's own may not be framed."""
    markup = fetch(url + "/").replace('<link rel="stylesheet" href="/style.css">',
                                      f"<style>{fetch(url + '/style.css')}</style>")
    markup = re.sub(r'<meta http-equiv="refresh"[^>]*>', "", markup)
    frame = pathlib.Path(profile) / "phone.html"
    frame.write_text(
        '<!DOCTYPE html><meta charset="utf-8"><body style="margin:0;background:#888"><iframe id=f '
        f'srcdoc="{html.escape(markup)}" style="border:0;width:{PHONE}px;height:3200px"></iframe>'
        "<script>f.onload = () => { document.title = "
        "`wide ${f.contentDocument.documentElement.scrollWidth}`; }</script>", "utf-8")
    size = f"--window-size={PHONE + 140},3200"
    dom, said = chromium(profile, frame.as_uri(), "--dump-dom", size)
    width = re.search(r"<title>wide (\d+)", dom)
    if width is None or int(width[1]) > PHONE:
        said.append(f"on a phone of {PHONE} pixels it is {width and width[1]} wide")
    picture = folder / f"{name}-phone.png"
    return said + chromium(profile, frame.as_uri(), size, f"--screenshot={picture}")[1]


def fetch(url):
    with urllib.request.urlopen(url, timeout=SECONDS) as answer:
        return answer.read().decode("utf-8")


def main():
    show, folder, *names = sys.argv[1:]
    names = names or subprocess.run([show, "names"], capture_output=True, encoding="utf-8",
                                    check=True).stdout.split()
    failed = 0
    with tempfile.TemporaryDirectory() as profile:
        for name in names:
            wrong = look(show, pathlib.Path(folder), profile, name)
            print(f"{name:12}", "wrong" if wrong else "well")
            for what in wrong:
                print("   ", what)
            failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
