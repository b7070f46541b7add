"""Servers on loopback: real ones of Debian (Apache httpd with git-http-backend, sshd), and ones that misbehave."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable

from world import World, make_key, public

Answer = Callable[[socket.socket], None]


class Door:
    """Listens for all servers of a case, one after the other: the URL stays the same, and no port is bound a second time."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self.listening.getsockname()[1]
        self.answer: Answer = lambda _: None  # of the server that is behind it now
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self.serve_one, args=(connection, self.answer), daemon=True).start()

    @staticmethod
    def serve_one(connection: socket.socket, answer: Answer) -> None:
        connection.settimeout(150)
        with contextlib.suppress(OSError), connection:
            answer(connection)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()


def door_of(world: World) -> Door:
    found = next((one for one in world.servers if isinstance(one, Door)), None)
    if found is None:
        found = Door()
        world.servers.append(found)
    return found


def copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


def passed_on(port: int) -> Answer:
    """To a server at that port."""
    def answer(connection: socket.socket) -> None:
        with socket.create_connection(("127.0.0.1", port), 10) as server:
            server.settimeout(150)
            there = threading.Thread(target=copy, args=(connection, server), daemon=True)
            there.start()
            copy(server, connection)
            there.join(1)
    return answer


def hold_port() -> socket.socket:
    """Of a server that has to be told one: the kernel gives it to nobody else, and that server may bind it beside this socket."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


def openssl(*words: str) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=20, stdin=subprocess.DEVNULL)


def make_certificates(folder: pathlib.Path) -> None:
    """An authority of our own with a good, an expired and a wrongly named certificate; and another authority."""
    folder.mkdir()
    ec = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    for name in ("ca", "other-ca"):
        openssl("req", "-x509", *ec, "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem", "-days", "2",
                "-subj", f"/CN={name}")
    for name, host, authority in (("good", "localhost", "ca"), ("expired", "localhost", "ca"),
                                  ("named", "elsewhere.example.org", "ca"), ("other", "localhost", "other-ca")):
        openssl("req", *ec, "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.csr", "-subj", f"/CN={host}")
        (folder / "names").write_text(f"subjectAltName=DNS:{host}\n")
        days = ("-days", "2")
        if name == "expired":
            days = ("-days", "-1")
        openssl("x509", "-req", "-in", f"{folder}/{name}.csr", "-CA", f"{folder}/{authority}.pem", "-CAkey",
                f"{folder}/{authority}.key", "-CAcreateserial", *days, "-out", f"{folder}/{name}.pem",
                "-extfile", f"{folder}/names")


class Process:
    """A server that is a program in a group of its own."""

    def __init__(self, words: list[str], held: socket.socket, log: pathlib.Path) -> None:
        self.held, self.port = held, held.getsockname()[1]
        with log.open("w") as out:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
        end = time.monotonic() + 10
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            if time.monotonic() > end or self.process.poll() is not None:
                self.close()
                raise AssertionError(f"{words[0]} does not start: {log.read_text()}")
            time.sleep(0.02)  # neither of the two announces that it listens

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)
        self.held.close()


APACHE = """ServerRoot /usr/lib/apache2
PidFile {folder}/{port}.pid
ServerName localhost
Listen 127.0.0.1:{port}
LoadModule mpm_prefork_module modules/mod_mpm_prefork.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule ssl_module modules/mod_ssl.so
LoadModule cgi_module modules/mod_cgi.so
LoadModule alias_module modules/mod_alias.so
LoadModule env_module modules/mod_env.so
Mutex file:{folder}
ErrorLog {folder}/errors
StartServers 1
User www-data
Group www-data
SSLEngine on
SSLCertificateFile {certificates}/{certificate}.pem
SSLCertificateKeyFile {certificates}/{certificate}.key
SetEnv GIT_PROJECT_ROOT {root}
SetEnv GIT_HTTP_EXPORT_ALL 1
SetEnv GIT_CONFIG_COUNT 1
SetEnv GIT_CONFIG_KEY_0 safe.directory
SetEnv GIT_CONFIG_VALUE_0 *
ScriptAlias /git/ /usr/lib/git-core/git-http-backend/
<Directory /usr/lib/git-core>
Require all granted
</Directory>
"""


def servers_of(world: World) -> pathlib.Path:
    folder = world.root / "servers"
    folder.mkdir(exist_ok=True)
    return folder


def https(world: World, certificate: str = "good") -> None:
    """Serves the repository by Apache, and has the machine follow it there."""
    folder, held, door = servers_of(world), hold_port(), door_of(world)
    port = held.getsockname()[1]
    certificates, conf = world.programs.certificates, folder / f"{port}.conf"
    conf.write_text(APACHE.format(
        folder=folder, port=port, certificates=certificates, certificate=certificate, root=world.root))
    world.servers.append(Process(["/usr/sbin/apache2", "-f", str(conf), "-DFOREGROUND"], held, folder / f"{port}.log"))
    door.answer = passed_on(port)
    world.set(url=f"https://localhost:{door.port}/git/up.git", ca=str(certificates / "ca.pem"))


SSHD = """Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/authorized
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
PidFile none
{more}
"""


def ssh(world: World, command: str = 'git-shell -c \\"$SSH_ORIGINAL_COMMAND\\"', more: str = "") -> pathlib.Path:
    """Serves it by sshd to a deploy key, which is the credential of the machine. Returns the host key."""
    folder, held, door = servers_of(world), hold_port(), door_of(world)
    port = held.getsockname()[1]
    host, deploy = make_key(folder / "host"), make_key(folder / "deploy")
    (folder / "authorized").write_text(f'command="{command}",restrict {public(deploy)}\n')
    (folder / "sshd.conf").write_text(SSHD.format(folder=folder, port=port, more=more))
    pathlib.Path("/run/sshd").mkdir(exist_ok=True)  # /run is the run's own
    world.servers.append(Process(["/usr/sbin/sshd", "-D", "-e", "-f", str(folder / "sshd.conf")], held, folder / "sshd.log"))
    door.answer = passed_on(port)
    world.credentials.mkdir(exist_ok=True)
    shutil.copyfile(deploy, world.credentials / "deploy-key")
    (world.credentials / "deploy-key").chmod(0o440)  # as systemd makes it
    world.set(url=f"ssh://root@localhost:{door.port}{world.up.path}", host_keys=[public(host)])
    return host


def misbehaving(world: World, answer: Answer, with_tls: bool = True) -> None:
    """From here on, this answers in place of the good server."""
    certificates = world.programs.certificates
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "good.pem", certificates / "good.key")

    def answer_by_tls(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as inner:
            answer(inner)
            inner.unwrap()

    def answer_plainly(connection: socket.socket) -> None:
        answer(connection)
        connection.shutdown(socket.SHUT_RDWR)

    door_of(world).answer = answer_by_tls if with_tls else answer_plainly


def read_request(connection: socket.socket) -> tuple[bytes, bytes]:
    """A request and its body, as long as that is announced."""
    data = b""
    while b"\r\n\r\n" not in data:
        some = connection.recv(65536)
        if not some:
            return data, b""
        data += some
    head, body = data.split(b"\r\n\r\n", 1)
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
    while lengths and len(body) < int(lengths[0]):
        body += connection.recv(65536)
    return head, body


def http(status: str, body: bytes = b"", *headers: str) -> Answer:
    def answer(connection: socket.socket) -> None:
        read_request(connection)
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
    return answer


ADVERTISEMENT = "Content-Type: application/x-git-upload-pack-advertisement"


def line(text: bytes) -> bytes:
    return f"{len(text) + 4:04x}".encode() + text


def sending_pack(head: str, pack: Callable[[], bytes]) -> Answer:
    """A server of version 0 of git's protocol, which sends that pack whatever it is asked for."""
    refs = line(b"# service=git-upload-pack\n") + b"0000"
    refs += line(f"{head} refs/heads/main\0side-band-64k ofs-delta filter agent=lab\n".encode()) + b"0000"

    def answer(connection: socket.socket) -> None:
        request, _ = read_request(connection)
        if request.startswith(b"GET"):
            body, kind = refs, ADVERTISEMENT
        else:
            data = pack()
            parts = [line(b"\1" + data[at:at + 65000]) for at in range(0, len(data), 65000)]
            body, kind = line(b"NAK\n") + b"".join(parts) + b"0000", "Content-Type: application/x-git-upload-pack-result"
        connection.sendall("\r\n".join(["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", kind, "Connection: close", "",
                                        ""]).encode() + body)
    return answer
