"""A git repository on a node, and the servers by which it and others follow it: all are on loopback."""

from __future__ import annotations

from . import daemon
from .lab import FILE
from .node import Node

REPOSITORY = "/srv/lab"
CA = "/etc/spark-reconcile/ca.pem"
HTTPS_PORT = 8443
SSH_PORT = 22

APACHE = f"""ServerRoot /usr/lib/apache2
PidFile /run/forge/pid
ServerName localhost
Listen 127.0.0.1:{HTTPS_PORT}
LoadModule mpm_prefork_module modules/mod_mpm_prefork.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule ssl_module modules/mod_ssl.so
LoadModule cgi_module modules/mod_cgi.so
LoadModule alias_module modules/mod_alias.so
LoadModule env_module modules/mod_env.so
Mutex file:/run/forge
ErrorLog /run/forge/errors
StartServers 1
User www-data
Group www-data
SSLEngine on
SSLCertificateFile /root/forge/server.pem
SSLCertificateKeyFile /root/forge/server.key
SetEnv GIT_PROJECT_ROOT /srv
SetEnv GIT_HTTP_EXPORT_ALL 1
ScriptAlias /git/ /usr/lib/git-core/git-http-backend/
<Directory /usr/lib/git-core>
Require all granted
</Directory>
"""

# An authority, and what it says of localhost.
CERTIFICATES = """set -e
mkdir -p /root/forge /run/forge && cd /root/forge
new='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
openssl req -x509 $new -keyout ca.key -out ca.pem -days 2 -subj /CN=lab
openssl req $new -keyout server.key -out server.csr -subj /CN=localhost
echo subjectAltName=DNS:localhost > names
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out server.pem -extfile names
"""


class Repository:
    """The cluster.yaml of `home` in a signed commit."""

    def __init__(self, home: Node) -> None:
        self.home = home
        home.run(
            f"git init -q -b main {REPOSITORY} && cd {REPOSITORY} && ssh-keygen -q -t ed25519 -N '' -f /root/signer"
            " && git config user.name alice && git config user.email alice@lab && git config gpg.format ssh"
            f" && git config user.signingkey /root/signer && cp {FILE} . && git add . && git commit -q -S -m first"
            # The servers are users of their own.
            " && git config --system --add safe.directory '*'"
        )

    def merge(self, edit: str, signed: str = "-S") -> None:
        """A commit with what a shell command makes of the files."""
        self.home.run(f"cd {REPOSITORY} && {edit} && git commit -q {signed} -am edit")

    def in_force(self) -> str:
        """A condition for `wait_until`: the newest commit's file is in force on the node."""
        digest = self.home.run(f"sha256sum {REPOSITORY}/cluster.yaml").split()[0]
        return f"grep -q '\"digest\": *\"{digest}\"' {daemon.STATUS}"

    def serve_https(self) -> None:
        """Apache httpd with git-http-backend, and a certificate of an authority that nobody else knows."""
        self.home.run(f"{CERTIFICATES}", 120)
        self.home.put_text("/root/forge/apache.conf", APACHE)
        self.home.start("forge", "exec apache2 -f /root/forge/apache.conf -DFOREGROUND")
        self.home.wait_until(f"ss -Hltn sport = :{HTTPS_PORT} | grep -q .")

    def serve_ssh(self) -> None:
        """The node's sshd: a user that can run git alone, and a deploy key that can do nothing else."""
        self.home.run(
            "useradd --system --create-home --home-dir /home/git --shell /usr/bin/git-shell git"
            " && mkdir -p /root/forge /home/git/.ssh && ssh-keygen -q -t ed25519 -N '' -f /root/forge/deploy"
            " && echo \"restrict $(cat /root/forge/deploy.pub)\" > /home/git/.ssh/authorized_keys"
        )

    def trust(self, node: Node, options: str = "") -> None:
        """The node's signers: the one of this repository."""
        signer = " ".join(self.home.run("cat /root/signer.pub").split()[:2])
        node.put_text("/etc/spark-reconcile/signers", f'alice@lab namespaces="git"{options} {signer}\n')

    def follow(self, node: Node, transport: str, every: str = "5s", settle: str = "2s") -> None:
        """The node trusts the signer, and follows from now on. Another node has a way to the server on its own loopback."""
        self.trust(node)
        is_home = node is self.home
        more = ""
        if transport == "file":
            url = f"file://{REPOSITORY}"
        elif transport == "https":
            node.put_text(CA, self.home.run("cat /root/forge/ca.pem"))
            if not is_home:
                node.forward(HTTPS_PORT, self.home, HTTPS_PORT)
            url, more = f"https://localhost:{HTTPS_PORT}/git/lab", f" --ca {CA}"
        else:
            node.put_text("/etc/spark-reconcile/deploy-key", self.home.run("cat /root/forge/deploy"), "600")
            port = SSH_PORT if is_home else SSH_PORT + 1
            if not is_home:
                node.forward(port, self.home, SSH_PORT)
            host_key = " ".join(self.home.run("cat /etc/ssh/ssh_host_ed25519_key.pub").split()[:2])
            url, more = f"ssh://git@localhost:{port}{REPOSITORY}", f" --host-key '{host_key}'"
        node.reconcile(f"follow {url}{more} --every {every} --settle {settle} --yes", deadline=120)
