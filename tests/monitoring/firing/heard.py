"""What is heard of alerts: by a webhook receiver, the journal's socket, and systemd's.

Each thing that is heard is news; who waits for something looks again at each.
"""
import collections
import contextlib
import http.server
import json
import re
import socket
import threading
import time

LONGEST = 30  # seconds, for whatever is waited for


class NeverCame(Exception):
    pass


class Heard:
    """Who said what of which alert, in order.

    Speakers: "rules" of Prometheus for the node, "rules of ..." for other instances; "daemon" by
    Alertmanager; "webhook", "late webhook" and "journal" by itself.
    """

    def __init__(self):
        self.news = threading.Condition()
        self.last_at = time.time()  # of an alert
        # By speaker and name, by labels: "firing", "resolved", ...
        self.said = collections.defaultdict(lambda: collections.defaultdict(list))

    def add(self, speaker, status, labels):
        with self.news:
            self.last_at = time.time()
            self.said[speaker, labels["alertname"]][tuple(sorted(labels.items()))].append(status)
            self.news.notify_all()

    def look_again(self):
        with self.news:
            self.news.notify_all()

    def until(self, holds, what):
        with self.news:
            if not self.news.wait_for(holds, LONGEST):
                raise NeverCame(f"within {LONGEST} s never: {what}\n{self.story()}")

    def is_now(self, speaker, name):
        """'firing' if one of that name does, 'resolved' if none does any more; '': never heard."""
        last = {said[-1] for said in self.said[speaker, name].values()}
        return "firing" if "firing" in last else "".join(last)

    def until_all(self, status, speaker, names):
        self.until(lambda: all(self.is_now(speaker, name) == status for name in names),
                   f"{speaker}: {', '.join(names)} {status}")

    def story(self):
        return "\n".join(f"{speaker:22} {name:24} {labels} {said}"
                         for (speaker, name), by_labels in sorted(self.said.items())
                         for labels, said in by_labels.items())

    def doubled(self):
        """Who said one thing twice in a row of one alert."""
        return [f"{speaker} {name}: {said}"
                for (speaker, name), by_labels in self.said.items() for said in by_labels.values()
                if any(one == next_one for one, next_one in zip(said, said[1:]))
                or said[0] != "firing"]


class Receiver:
    """A web server on loopback: takes alerts that are POSTed, and serves metrics.

    `speaker` tells from the labels of an alert who says it; `metrics`, by path, are functions.
    """

    def __init__(self, heard, port, speaker, metrics=None):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.answer(b"")
                for alert in body["alerts"]:
                    heard.add(speaker(self.path, alert["labels"]), alert["status"],
                              alert["labels"])

            def do_GET(self):
                # Who scrapes waits no longer than until the next time.
                with contextlib.suppress(ConnectionError):
                    self.answer(metrics[self.path]().encode())
                heard.look_again()

            def answer(self, body):
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()


def _listen(path, take):
    """Hands each datagram that comes to a socket at that path to `take`."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listening.bind(str(path))

    def loop():
        while True:
            take(listening.recv(1 << 20))

    threading.Thread(target=loop, daemon=True).start()


class Journal:
    """What journald would hear: entries of NAME=value lines."""

    def __init__(self, heard, path):
        def take(entry):
            said = {name: re.search(rb"^%b=(.*)$" % name, entry, re.M)[1].decode()
                    for name in (b"SPARK_STATE", b"SPARK_ALERT", b"SPARK_FINGERPRINT")}
            heard.add("journal", said[b"SPARK_STATE"],
                      {"alertname": said[b"SPARK_ALERT"], "is": said[b"SPARK_FINGERPRINT"]})

        _listen(path, take)


class Notified:
    """What systemd would hear of the service (sd_notify(3))."""

    def __init__(self, heard, path):
        self.path = str(path)
        self.starts = 0  # times that it was ready

        def take(message):
            self.starts += message.startswith(b"READY=1")
            heard.look_again()

        _listen(path, take)
