#!/usr/bin/python3
"""The whole way to the page from elsewhere: Chromium on a laptop, two real nodes, a token for each.

    sudo tests/page/login.py FOLDER       pictures go there; SPARK_BUILD: the folder of the programs

A pair of network namespaces with daemon, spark-peers and spark-web, and a third on their LAN. What Chromium does there is
compared with what docs/explain/security.md says of the token: the form, a wrong token, the right one, the cookie, a
reload, links and forms of other sites, two pages behind two ports of one host, another token, too many tries.
"""
import base64
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import chromium  # noqa: E402
import form  # noqa: E402
from node_in_namespace import MTU, NOBODY, Node, Space, stop, wire  # noqa: E402

LAPTOP = "192.0.2.100"
NODES = {"spark1": "192.0.2.11", "spark2": "192.0.2.12"}
TOKENS = {"spark1": "a+token/of=the~first!", "spark2": "another.token+of&it"}
FILE = f"""version: 1
cluster: lab
nodes: {{ spark1: {{ number: 11 }}, spark2: {{ number: 12 }} }}
fabric:
  mtu: {MTU}
  cables: [{{ ends: [spark1:1, spark2:1], subnets: [198.51.100.0/24, 203.0.113.0/24] }}]
"""
MONTH = 30 * 24 * 3600
# A page of another site, and what `ssh -L` does: a port of this machine for the page of each node.
OTHER_SITE = 8000
TUNNELS = {"spark1": 9842, "spark2": 9843}
ON_THE_LAPTOP = r"""
import asyncio, sys
PAGE = ('<!DOCTYPE html><title>elsewhere</title><a href="http://{0}:9842/">spark1</a>'
        '<form method="post" action="http://{0}:9842/login"><input name="token" value="x"></form>').format(sys.argv[1])

async def pipe(reader, writer):
    while chunk := await reader.read(65536):
        writer.write(chunk)
        await writer.drain()
    writer.close()

def to(address):
    async def serve(reader, writer):
        far = await asyncio.open_connection(address, 9842)
        await asyncio.gather(pipe(reader, far[1]), pipe(far[0], writer), return_exceptions=True)
    return serve

async def other_site(reader, writer):
    await reader.readuntil(b"\r\n\r\n")
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: {len(PAGE)}\r\n\r\n"
    writer.write((head + PAGE).encode())
    await writer.drain()
    writer.close()

async def main():
    await asyncio.start_server(other_site, "0.0.0.0", int(sys.argv[2]))
    for word in sys.argv[3:]:
        port, address = word.split("=")
        await asyncio.start_server(to(address), "127.0.0.1", int(port))
    print("ready", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def put_token(node, token):
    path = node.root / "etc/spark-reconcile/page.token"
    fresh = path.with_suffix(".new")
    fresh.write_text(token + "\n", "utf-8")
    os.chown(fresh, 0, NOBODY)
    fresh.chmod(0o640)
    fresh.rename(path)


def start_nodes(folder, stack):
    """Two nodes that hear each other, and the laptop on their LAN."""
    laptop = Space("laptop", stack)
    laptop.ip("link add lan type bridge", "link set lan up", f"address add {LAPTOP}/24 dev lan")
    nodes = {}
    for name, address in NODES.items():
        node = nodes[name] = Node(name, folder, stack)
        laptop.ip(f"link add {name} type veth peer name enP7s7 netns {node.space.pid}", f"link set {name} master lan up")
        node.space.ip("link set enP7s7 up", f"address add {address}/24 dev enP7s7")
        node.put(FILE)
        (node.root / "etc/passwd").write_text(f"spark-web:x:{NOBODY}:{NOBODY}::/:/bin/false\n", "utf-8")
        (node.root / "etc/spark-reconcile/agent.yaml").write_text(
            f"listen: {address}:9842\ntoken_file: /etc/spark-reconcile/page.token\n", "utf-8")
        put_token(node, TOKENS[name])
    wire(*nodes.values())
    for node in nodes.values():
        node.start_daemon(stack)
        node.start_peers(stack)
        node.start_web(stack)
    servers = subprocess.Popen(
        laptop.words(sys.executable, "-c", ON_THE_LAPTOP, NODES["spark1"], OTHER_SITE,
                     *(f"{TUNNELS[name]}={address}" for name, address in NODES.items())),
        stdout=subprocess.PIPE, encoding="utf-8")
    stack.callback(stop, servers)
    assert servers.stdout.readline() == "ready\n"
    return laptop, nodes


class Laptop:
    """One tab, and all that it asked for."""

    def __init__(self, browser, folder):
        self.tab = chromium.Tab(browser)
        self.tab.call("Network.enable")
        self.tab.look_like(width=1180, height=900, scheme="light", mobile=False)
        self.folder = folder
        self.asked = []
        self.failed = 0

    def check(self, what, holds, seen=""):
        print("well " if holds else "WRONG", what, "" if holds else f": {seen}", flush=True)
        self.failed += not holds

    def shows(self):
        self.asked += self.tab.requests()
        return self.tab.evaluate("document.body.innerText")

    def go(self, url):
        self.tab.open(url)
        return self.shows()

    def type(self, token):
        form.fill_in(self.tab, token)
        return self.shows()

    def does(self, script):
        """What leads to another page."""
        self.tab.expect_load()
        self.tab.evaluate(script)
        self.tab.wait_for_load()
        return self.shows()

    def has_form(self):
        return self.tab.evaluate("!!document.querySelector('form input[type=password]')")

    def keep_picture(self, name):
        (self.folder / f"login-{name}.png").write_bytes(base64.b64decode(self.tab.picture()))


def until_cluster_is_known(laptop):
    """The page of spark1 shows both nodes as heard."""
    for _ in range(60):
        text = laptop.go(f"http://{NODES['spark1']}:9842/still")
        if "spark2" in text and "not heard" not in text and "lab · pair" in text:
            return True
        time.sleep(1)
    return False


def walk(laptop, nodes):
    check, tab = laptop.check, laptop.tab
    home = f"http://{NODES['spark1']}:9842/"
    text = laptop.go(home)
    check("a stranger gets the form", laptop.has_form() and "Token of this node" in text, text)
    check("and no name of the node or the cluster", not any(word in text for word in ("spark1", "lab", "enp1s0f1np1")), text)
    text = laptop.type("not-the-token-of-it")
    check("a wrong token says so", "This is not the token." in text and laptop.has_form(), text)
    check("and gives no cookie", tab.cookies() == [], tab.cookies())
    text = laptop.type(TOKENS["spark1"])
    check("the right one shows the page", "lab" in text and not laptop.has_form(), text)
    check("at /", tab.evaluate("location.href") == home, tab.evaluate("location.href"))
    (cookie,) = tab.cookies()
    wanted = {"name": "spark_page_9842", "domain": NODES["spark1"], "path": "/", "httpOnly": True, "sameSite": "Strict",
              "session": False}
    seen = {key: cookie.get(key) for key in wanted}
    check("the cookie is HttpOnly, SameSite=Strict, of this host and port", seen == wanted, seen)
    check("and is there for 30 days", abs(cookie["expires"] - time.time() - MONTH) < 600, cookie["expires"])
    check("and is not the token", TOKENS["spark1"] not in cookie["value"] and len(cookie["value"]) == 64, cookie["value"])
    check("and no script sees it", tab.evaluate("document.cookie") == "", tab.evaluate("document.cookie"))
    check("the page of the cluster is shown", until_cluster_is_known(laptop), tab.evaluate("document.body.innerText"))
    laptop.keep_picture("cluster")
    laptop.go(home)
    tab.expect_load()
    tab.call("Page.reload")
    tab.wait_for_load()
    text = laptop.shows()
    check("who is logged in stays so after a reload", "lab" in text and not laptop.has_form(), text)
    check("and for the other documents", '"schema"' in laptop.go(home + "status.json"))
    check("and gets the page at the form's place", "lab · pair" in laptop.go(home + "login") and tab.evaluate("location.href") == home)

    elsewhere = f"http://{LAPTOP}:{OTHER_SITE}/"
    laptop.go(elsewhere)
    laptop.does("document.querySelector('a').click()")
    check("a link of another site brings no cookie along", laptop.has_form(), tab.evaluate("document.body.innerText"))
    check("and typing the address does", "lab · pair" in laptop.go(home))
    laptop.go(elsewhere)
    text = laptop.does("document.querySelector('form').submit()")
    check("a form of another site is refused", "this form is not of this page" in text, text)

    tab.forget()
    tunnels = {name: f"http://127.0.0.1:{port}/" for name, port in TUNNELS.items()}
    for name, url in tunnels.items():
        laptop.go(url)
        check(f"the page of {name} asks at {url}", laptop.has_form())
        text = laptop.type(TOKENS[name])
        check("and is shown", not laptop.has_form() and "lab" in text, text)
    for name, url in tunnels.items():
        text = laptop.go(url)
        check(f"with both open, that of {name} is still shown", not laptop.has_form() and f"as {name} knows it" in text, text)
    check("with a cookie each", sorted(one["name"] for one in tab.cookies()) == ["spark_page_9842", "spark_page_9843"], tab.cookies())

    put_token(nodes["spark2"], "yet-another-token-of-it")
    laptop.go(tunnels["spark2"])
    check("another token ends the cookie", laptop.has_form() and [one["name"] for one in tab.cookies()] == ["spark_page_9842"],
          tab.cookies())
    check("of that page alone", "as spark1 knows it" in laptop.go(tunnels["spark1"]))

    tab.forget()
    laptop.go(home)
    said = [laptop.type("not-the-token-of-it") for _ in range(6)]
    check("a wrong one is told as the first was", "This is not the token." in said[0], said[0])
    check("the sixth of a minute has to wait", "Too many wrong tries" in said[-1], said[-1])
    text = laptop.type(TOKENS["spark1"])
    check("then the right one has to wait too", "Too many wrong tries" in text and laptop.has_form(), text)
    check("without a cookie", tab.cookies() == [], tab.cookies())

    sent = [one["url"] + one.get("headers", {}).get("Referer", "") for one in laptop.asked]
    sent += [entry["url"] for entry in tab.call("Page.getNavigationHistory")["entries"]]
    holders = [url for url in sent if "token" in url or "?" in url]
    check(f"no token is in any of {len(sent)} URLs and referrers", not holders and len(sent) > 30, holders)


def main():
    if os.geteuid() != 0:
        sys.exit("tests/page/login.py: network namespaces need root")
    pictures = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/page")
    pictures.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="spark-login.")))
        folder.chmod(0o755)
        space, nodes = start_nodes(folder, stack)
        browser = stack.enter_context(chromium.running(space.words()))
        laptop = Laptop(browser, pictures)
        end = time.monotonic() + 60
        while "Token of this node" not in reached(laptop):
            if time.monotonic() > end:
                sys.exit("nobody serves the page")
            time.sleep(0.5)
        walk(laptop, nodes)
    return 1 if laptop.failed else 0


def reached(laptop):
    with contextlib.suppress(RuntimeError):
        return laptop.go(f"http://{NODES['spark1']}:9842/")
    return ""


if __name__ == "__main__":
    sys.exit(main())
