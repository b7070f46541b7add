"""The form that asks for the token of the page, as a browser meets it."""

TOKEN = "a-token-of-the-tests"  # that show_state guards with
# The tokens that are typed before the form looks so.
STATES = {
    "asked": (),
    "wrong": ("not-the-token-of-it",),
    "closed": ("not-the-token-of-it",) * 6,
}
# What a browser logs of a page that came with such a status; the page is as it should be.
OF_THE_STATUS = ("401 (Unauthorized)", "429 (Too Many Requests)")


def fill_in(tab, token):
    """Types it, presses Enter, and waits for what comes."""
    tab.evaluate("document.querySelector('#token').focus()")
    tab.call("Input.insertText", text=token)
    tab.expect_load()
    for kind in ("keyDown", "keyUp"):
        tab.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)
    tab.wait_for_load()


def reach(tab, url, state):
    tab.open(url + "/")
    for token in STATES[state]:
        fill_in(tab, token)


def complaints(tab):
    """But those of the status."""
    return [said for said in tab.complaints() if not said.endswith(OF_THE_STATUS) and
            not any(f"of {status}" in said for status in OF_THE_STATUS)]
