#!/usr/bin/python3
"""A server of the FleetLock protocol, as Zincati documents it: a counting semaphore for each group, in memory.

    server.py ADDRESS PORT SLOTS LOG     a line of JSON in LOG for each request
"""

import contextlib
import http.server
import json
import re
import sys
import threading


class Server(http.server.ThreadingHTTPServer):
    def __init__(self, address: str, port: int, slots: int, log: str) -> None:
        super().__init__((address, port), Handler)
        self.slots, self.log = slots, log
        self.holders: dict[str, set[str]] = {}
        self.lock = threading.Lock()

    def answer(self, path: str, protocol: str, body: object) -> tuple[int, str, str]:
        """Status, kind and value."""
        if protocol != "true":
            return 400, "missing_header", "the header fleet-lock-protocol is not 'true'"
        who = body.get("client_params") if isinstance(body, dict) else None
        own, group = (who.get("id"), who.get("group")) if isinstance(who, dict) else (None, None)
        if not isinstance(own, str) or not own or not isinstance(group, str) or not re.fullmatch(r"[a-zA-Z0-9.-]+", group):
            return 400, "invalid_client", "id or group is missing"
        holders = self.holders.setdefault(group, set())
        if path == "/base/v1/steady-state":
            holders.discard(own)
            return 200, "", ""
        if path != "/base/v1/pre-reboot":
            return 404, "no_endpoint", "no such path"
        if own not in holders and len(holders) >= self.slots:
            return 409, "failed_lock_semaphore_full", "semaphore currently full, all slots are locked already"
        holders.add(own)
        return 200, "", ""


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:  # noqa: N802: the name that http.server calls
        try:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        except (ValueError, TypeError):
            body = None
        with self.server.lock:
            status, kind, value = self.server.answer(self.path, self.headers.get("fleet-lock-protocol", ""), body)
            with open(self.server.log, "a", encoding="utf-8") as log:
                held = {group: sorted(holders) for group, holders in self.server.holders.items()}
                log.write(json.dumps({"path": self.path, "body": body, "status": status, "held": held}) + "\n")
        text = b"" if status == 200 else json.dumps({"kind": kind, "value": value}).encode()
        with contextlib.suppress(ConnectionError):  # who asked is gone
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    Server(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]).serve_forever()
