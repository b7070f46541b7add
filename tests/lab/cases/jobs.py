"""What jobs use, and whether it was the network, by real queue pairs. Software RDMA has no counters of its own: what its link
carried stands for them. No rail here comes near its limit, so what needs that is not here: the alert of one rail of two
(SparkJobOneRail), and rails out of balance."""

import json
import re
import time
from collections.abc import Callable

from harness import ask, daemon
from harness.lab import Lab
from harness.names import netdev, rdma_device
from harness.node import Node
from harness.runner import case

from .memlock import start_docker
from .pair import CAGE, PAIR, RAILS, address, converge
from .peers import LINKS, wait_for_proofs

SIZE = 65536  # of a write that is counted
# It goes in 16 packets, each with Ethernet, IP, UDP, BTH and ICRC, the first one with RETH.
ON_LINK = SIZE + 16 * (14 + 20 + 8 + 12 + 4) + 16
SECONDS = 90  # the daemon looks at the rails each minute, and where it sees a device opened
CLOCK = r"\d\d:\d\d:\d\d"
NOTHING_KNOWN = rf"Nothing is known of ({CLOCK}) to ({CLOCK}): the daemon was down\."


class Job:
    """`ib_write_bw` from the first node to the second over each of the rails, on both of them one process tree: until it has
    done so many writes, or is killed."""

    def __init__(self, nodes: list[Node], rails: tuple[int, ...], writes: int = 0, unit: str = "job",
                 program: str = "ib_write_bw", port: int = 18600) -> None:  # fmt: skip
        self._nodes, self._rails, self._unit = nodes, rails, unit
        # Where octets are counted, nothing is sent again because a busy machine answered late.
        lasts = f"-s {SIZE} -t 8 -n {writes} -N -u 18" if writes else "-s 4096 -t 4 --run_infinitely -D 2"

        def command(node: Node, number: int, tool: str, peers: list[str]) -> str:
            lines = []
            for rail, peer in zip(rails, peers, strict=True):
                device = rdma_device(CAGE, rail)
                index = ask.gid_index(node, device, address(number, rail))
                lines.append(f"{tool} -d {device} -F -m 4096 -p {port + rail} {lasts} -x {index} {peer}")
            return " & ".join([*lines, "wait"])

        writer, reader = nodes
        reader.start(unit, command(reader, 12, "ib_write_bw", [""] * len(rails)))
        for rail in rails:
            reader.wait_until(f"ss -Hltn sport = :{port + rail} | grep -q .")
        writer.start(unit, command(writer, 11, program, [address(12, rail) for rail in rails]))

    def wait_for_end(self, within: float = 300) -> None:
        for node in self._nodes:
            node.wait_until(f"! systemctl is-active --quiet {self._unit}", within)

    def kill(self) -> None:
        for node in self._nodes:
            node.ask(f"systemctl kill --signal=KILL {self._unit}")
        self.wait_for_end()
        for node in self._nodes:
            node.ask(f"systemctl reset-failed {self._unit}")  # else no other unit has its name

    def reported(self) -> tuple[int, float]:
        """What it says itself, the same of each rail: the octets that it wrote; and of one of them MiB a second."""
        writer = self._nodes[0]
        writer.run("journalctl --sync")
        said = writer.output(self._unit)
        rows = re.findall(rf"^\s*{SIZE}\s+(\d+)\s+\S+\s+(\S+)", said, re.MULTILINE)
        assert len(rows) == len(re.findall(r"Mtu\s*: 4096", said)) == len(self._rails), said
        assert len({count for count, _ in rows}) == 1, said
        return int(rows[0][0]) * SIZE, float(rows[0][1])


def writes_in(nodes: list[Node], seconds: int) -> int:
    """So many take about so long here. It is tried, so no daemon may look yet."""
    trial = Job(nodes, RAILS[:1], writes=2000, unit="trial")
    trial.wait_for_end()
    return int(trial.reported()[1] * seconds * 2**20 / SIZE)


def start_daemons(nodes: list[Node]) -> None:
    """What is proven is not tried beside a job; and each has looked at the rails, which is what octets are counted from."""
    for node in nodes:
        node.run("systemctl start spark-reconcile", 120)
    wait_for_proofs({node: LINKS for node in nodes}, within=120)
    for node in nodes:
        daemon.wait_for_verdict(node, "ready")


def pair_that_records(lab: Lab) -> list[Node]:
    nodes = converge(lab)
    start_daemons(nodes)
    return nodes


def wait_for_answers(node: Node) -> None:
    """Until its daemon has recorded for more than the two minutes before an end that an answer is about."""
    since = "$(systemctl show -P ActiveEnterTimestampMonotonic spark-reconcile)"
    node.wait_until(f"test $(($(cut -d. -f1 /proc/uptime) - {since} / 1000000)) -gt 125", 140)


def clock(node: Node) -> str:
    return node.run("date -u +%Y-%m-%dT%H:%M:%SZ").strip()


def is_between(begin: str, text: str, end: str) -> bool:
    """Of times of day, where the first and the last may be of two days."""
    return begin <= text <= end if begin <= end else not end < text < begin


def wait_for_records(node: Node, pick: Callable[[list[dict]], list[dict]], count: int, within: float) -> list[dict]:
    """Until `pick` leaves so many of its records."""
    end = time.monotonic() + node.patient(within)
    while True:
        records = json.loads(node.reconcile("jobs --since 1h --json"))["records"]
        if len(picked := pick(records)) == count:
            return picked
        assert time.monotonic() < end, f"{node.name}: not {count} within {node.patient(within):.0f} s of {records}"
        time.sleep(0.5)


def running(node: Node, count: int = 1, within: float = 100) -> list[int]:
    """The numbers of the jobs of now, once the daemon has seen them."""
    records = wait_for_records(node, lambda all_: [job for job in all_ if not job["ended"]], count, within)
    return [job["number"] for job in records]


def ended(node: Node, numbers: list[int], within: float = 60) -> list[dict]:
    """The records of these jobs, once each has its end: half a minute and a look after that."""
    return wait_for_records(node, lambda all_: [job for job in all_ if job["number"] in numbers and job["ended"]],
                            len(numbers), within)  # fmt: skip


def answer(node: Node, question: str) -> tuple[str, str]:
    said = json.loads(node.reconcile(f"{question} --json"))["answer"]
    return said["kind"], said["line"]


def assert_octets(record: dict, way: str, links: tuple[str, ...], reported: int) -> None:
    """Within 5 % of it on these links, with the headers; next to nothing on the others."""
    octets = {rail["link"]: rail["octets"][way] for rail in record["rails"]}
    expected = reported * ON_LINK / SIZE
    print(f"  {way} {', '.join(f'{link} {count / expected:.4f}' for link, count in octets.items())} of {reported} and headers")
    assert set(links) <= set(octets), record
    for link, count in octets.items():
        assert abs(count - (expected if link in links else 0)) < 0.05 * expected, (link, count, expected)


@case(deadline=300)
def a_job_on_one_rail_of_two_is_seen(lab: Lab) -> None:
    """Its rail and what that carries, beside the idle one; once it has ended there is none."""
    spark, spark2 = lab.cluster(PAIR)
    for node in (spark, spark2):
        node.reconcile("apply")
    rail, twin = netdev(CAGE, 0), netdev(CAGE, 1)
    writes = ask.Writes(spark, spark2, rdma_device(CAGE, 0), address(11, 0), address(12, 0))
    writes.wait_for_more()
    said = json.loads(spark.reconcile("jobs --json"))
    (job,) = said["jobs"]
    assert job["name"] == "ib_write_bw" and job["user"] == "root", job
    assert [used["link"] for used in job["rails"]] == [rail], job
    sent = {each["link"]: each["carried"]["sent"] for each in said["rails"]}
    assert sent[rail] > 1_000_000 > sent[twin], sent
    # On a busy machine rxe sends again.
    found = [(each["id"], each["alert"], each["link"]) for each in said["job_findings"] if each["id"] != "SR-JOB-004"]
    assert found == [("SR-JOB-001", False, rail)], said
    writes.stop()
    spark.wait_until("! pgrep ib_write_bw")
    said = json.loads(spark.reconcile("jobs --json"))
    assert said["jobs"] == [] and said["job_findings"] == [], said


@case(deadline=1200)
def a_job_leaves_a_record(lab: Lab) -> None:
    """On one rail, on both, of two users at once and killed: its rails, what `ib_write_bw` reports, and that no fault was recorded."""
    nodes = converge(lab)
    spark, spark2 = nodes
    writes = writes_in(nodes, SECONDS)
    start_daemons(nodes)
    for rails in (RAILS[:1], RAILS):
        links = tuple(LINKS[rail] for rail in rails)
        job = Job(nodes, rails, writes // len(rails), unit=f"on-{len(rails)}")
        numbers = [running(node) for node in nodes]
        (now,) = json.loads(spark.reconcile("jobs --json"))["jobs"]
        assert tuple(used["link"] for used in now["rails"]) == links, now
        job.wait_for_end()
        for node, of, way in zip(nodes, numbers, ("sent", "received"), strict=True):
            (record,) = ended(node, of)
            assert (record["name"], record["user"], record["container"]) == ("ib_write_bw", "root", ""), record
            assert_octets(record, way, links, job.reported()[0])
            # Of both rails one may be done first, and the other is one of two then.
            notes = [found["link"] for found in record["findings"] if found["id"] == "SR-JOB-001" and not found["alert"]]
            assert len(rails) == 2 or notes == [LINKS[0]], record

    spark.run("useradd alice")
    jobs = [Job(nodes, RAILS[:1], unit="first"),
            Job(nodes, RAILS[:1], unit="second", program="runuser -u alice -- ib_write_bw", port=18610)]  # fmt: skip
    numbers = running(spark, len(jobs))
    for job in jobs:
        job.kill()
    records = ended(spark, numbers)
    assert sorted(record["user"] for record in records) == ["alice", "root"], records
    assert all(rail["shared"] for record in records for rail in record["rails"]), records
    for number in numbers:
        kind, line = answer(spark, f"jobs {number}")
        assert kind == "no_fault" and line.startswith("No network fault was recorded; "), line


@case(deadline=600)
def a_carrier_lost_under_a_job_is_the_answer(lab: Lab) -> None:
    """The cable is out for three seconds: both nodes name the rails of both, and when, for the job and for the time."""
    nodes = pair_that_records(lab)
    spark, _ = nodes
    begin = clock(spark)
    job = Job(nodes, RAILS[:1])
    numbers = {node: running(node) for node in nodes}
    (cable,) = lab.cables
    cable.pull()
    for node in nodes:
        ask.wait_for_carrier(node, LINKS, up=False)
    time.sleep(3)  # it is out for so long
    cable.plug()
    for node in nodes:
        ask.wait_for_carrier(node, LINKS, up=True)
    job.kill()  # if it has not given up by itself
    at = clock(spark)
    for node in nodes:
        ended(node, numbers[node])
    for node in nodes:
        kind, line = answer(node, f"jobs {numbers[node][0]}")
        assert kind == "fault" and "; the job ended " in line, line
        lost = dict(re.findall(rf"rail 0 of (spark2?) lost its carrier at ({CLOCK}) for \d", line))
        assert set(lost) == {"spark", "spark2"}, line
        assert all(is_between(begin[11:19], when, at[11:19]) for when in lost.values()), (begin, line, at)
        for asked in (at, at[:16]):  # the second, and its minute
            kind, line = answer(node, f"events --at {asked} --all")
            assert kind == "fault" and re.search(rf"rail [01] of spark2? lost its carrier at {CLOCK} for \d", line), line


@case(deadline=1200)
def nothing_is_known_while_the_daemon_was_down(lab: Lab) -> None:
    """Stopped, then killed, while a job ends: this node says from when to when it knows nothing; the other one knows its own."""
    nodes = pair_that_records(lab)
    spark, spark2 = nodes
    # Killed, it would run again a second later.
    spark.run("mkdir -p /run/systemd/system/spark-reconcile.service.d")
    spark.put_text("/run/systemd/system/spark-reconcile.service.d/once.conf", "[Service]\nRestart=no\n")
    spark.run("systemctl daemon-reload")
    for way in ("stop", "kill --signal=KILL --kill-whom=main"):
        job = Job(nodes, RAILS[:1])
        here, there = (running(node) for node in nodes)
        wait_for_answers(spark2)
        spark.run(f"systemctl {way} spark-reconcile", 120)
        spark.wait_until("! systemctl is-active --quiet spark-reconcile")
        job.kill()
        ended(spark2, there)
        at = clock(spark)
        spark.run("systemctl reset-failed spark-reconcile; systemctl start spark-reconcile", 120)
        ended(spark, here, within=100)
        for question in (f"jobs {here[0]}", f"events --at {at}", f"events --at {at} --all"):
            kind, line = answer(spark, question)
            gap = re.fullmatch(NOTHING_KNOWN, line)
            assert kind == "not_known" and gap and is_between(gap[1], at[11:19], gap[2]), (question, line, at)
        kind, line = answer(spark2, f"jobs {there[0]}")
        assert kind == "no_fault" and "what spark recorded then is not known" in line, line


@case(deadline=600, needs=("containers",))
def the_record_of_a_job_names_its_container(lab: Lab) -> None:
    """Docker's, whose device nodes are not the host's: seen a minute later at the latest, by the id that `docker ps` shows."""
    nodes = pair_that_records(lab)
    spark, _ = nodes
    start_docker(spark)
    # The host's programs, on a root that has nothing of its own.
    spark.run("mkdir -p /tmp/root/usr /tmp/root/etc/libibverbs.d && ln -s usr/lib usr/lib64 /tmp/root && "
              "tar -C /tmp/root -c . | docker import - job", 120)  # fmt: skip
    docker = "docker run --name job --network host --security-opt apparmor=unconfined --device /dev/infiniband " \
             "--ulimit memlock=-1 -v /usr:/usr:ro -v /etc/libibverbs.d:/etc/libibverbs.d:ro job"  # fmt: skip
    job = Job(nodes, RAILS[:1], program=f"{docker} /usr/bin/ib_write_bw")
    numbers = running(spark, within=150)
    container = spark.run("docker inspect --format '{{.Id}}' job").strip()
    spark.run("docker kill job", 120)
    job.kill()
    (record,) = ended(spark, numbers)
    assert (record["name"], record["container"]) == ("ib_write_bw", f"docker {container[:12]}"), record
    assert [rail["link"] for rail in record["rails"]] == [LINKS[0]], record


@case(deadline=900)
def names_of_a_job_stay_on_its_node(lab: Lab) -> None:
    """Its user and its program are in root's record alone, and with `names: false` not even there; also while a change waits for it."""
    nodes = pair_that_records(lab)
    spark, spark2 = nodes
    spark.run("useradd trillian && install $(command -v ib_write_bw) /usr/local/bin/secret-trainer")

    def assert_untold(bundle: str) -> None:
        """In what others read here, in what the other node has, and in what it is answered."""
        spark.reconcile(f"doctor --bundle {bundle} --yes", deadline=120)
        told = spark.run("find /run/spark-reconcile* -type f -perm -o=r -exec cat {} +; cat " + bundle)
        told += daemon.page(spark) + spark.run(f"busybox wget -q -O - {daemon.PAGE}/status.json")
        told += spark2.ask("find /run/spark-reconcile* /var/lib/spark-reconcile* -type f -exec cat {} +").stdout
        told += spark2.reconcile("jobs -n spark --json") + spark2.reconcile(f"events --at {clock(spark2)} --all --json")
        told += spark.run("journalctl --sync && journalctl --boot --unit=spark-reconcile --output=verbose")
        assert '"covered"' in told and "spark_reconcile_job_" in told, "records and metrics are among it"
        assert not (named := re.findall(".{0,200}(?:trillian|secret-trainer).{0,200}", told)), named

    def change_mtu(node: Node, old: int, new: int) -> None:
        node.run(f"sed -i 's/mtu: {old}/mtu: {new}/' /etc/spark-reconcile/cluster.yaml")

    for keeps in (True, False):
        agent = f"jobs: {{ names: {str(keeps).lower()} }}\ndisturb: {{ patience: 1s }}\n"
        spark.put_text("/etc/spark-reconcile/agent.yaml", agent)
        spark.run("systemctl restart spark-reconcile", 120)
        job = Job(nodes, RAILS[:1], program="runuser -u trillian -- secret-trainer")
        numbers = running(spark)
        spark2.wait_until("spark-reconcile jobs -n spark > /dev/null")
        assert_untold(f"/root/{keeps}-running.json")
        change_mtu(spark, 9000, 4000)
        spark.wait_until(f"tr -d ' \\n' < {daemon.STATUS} | grep -q '\"disturb_waits\":\\[{{'", 120)
        # Of the second job it is the same alert, where that of the first is not over yet.
        spark.wait_until("journalctl --boot --unit=spark-reconcile --grep SparkDisturbWaits: --quiet | grep -q .", 120)
        assert "secret-trainer" in spark.reconcile("status --here"), "the terminal of the node names it"
        waits = daemon.status(spark)["disturb_waits"]
        assert waits and all(wait["reasons"] == [f"a job uses rail 0 of cage {CAGE} ({LINKS[0]})"] for wait in waits), waits
        assert "a job uses rail 0" in daemon.page(spark)
        assert_untold(f"/root/{keeps}-waiting.json")
        change_mtu(spark, 4000, 9000)
        spark.wait_until(f"tr -d ' \\n' < {daemon.STATUS} | grep -q '\"disturb_waits\":\\[\\]'", 120)
        job.kill()
        (record,) = ended(spark, numbers)
        assert (record["name"], record["user"]) == (("secret-trainer", "trillian") if keeps else ("", "")), record
        assert_untold(f"/root/{keeps}-ended.json")


@case(deadline=600)
def memory_that_ran_out_is_seen_and_not_judged(lab: Lab) -> None:
    """The kernel ends a process for its memory, and a job ends then: no fault was recorded, and the answer says that too."""
    nodes = pair_that_records(lab)
    spark, _ = nodes
    job = Job(nodes, RAILS[:1])
    numbers = running(spark)
    wait_for_answers(spark)
    hog = "systemd-run --quiet --wait --property=MemoryMax=16M --property=MemorySwapMax=0 tail /dev/zero"
    assert spark.ask(hog).returncode != 0
    spark.wait_until("journalctl --quiet --dmesg | grep -q 'out of memory: Killed process'")
    job.kill()
    ended(spark, numbers)
    kind, line = answer(spark, f"jobs {numbers[0]}")
    assert kind == "no_fault" and re.search(rf"seen, not judged: spark had no memory left at {CLOCK}", line), line
