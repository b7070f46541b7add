// Two daemons in two namespaces, each with its spark-peers: what one tells, the other's gate says.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "fake/temporary_folder.hpp"
#include "process/pair_node.hpp"
#include "process/spark.hpp"
#include "protocol/peers.hpp"
#include "protocol/records.hpp"
#include "protocol/web.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

/// What spark1's end of rail 0 answers to these bytes, which come from that address of `from`.
std::string answer_to(const Spark& from, const std::string& address, const std::string& bytes) {
  constexpr const char* kAsk = R"(
import socket, sys
answer = b""
try:
    peer = socket.create_connection(("192.0.2.11", 9843), 10, (sys.argv[1], 0))
    peer.sendall(sys.stdin.buffer.read())
    while got := peer.recv(65536):
        answer += got
except ConnectionError:
    pass  # closed before all was read
sys.stdout.buffer.write(answer)
)";
  const auto outcome =
      run({.argv = {"python3", "-c", kAsk, address}, .input = bytes, .network = from.network()});
  EXPECT_THAT(outcome, ExitsWith(0)) << outcome.err;
  return outcome.out;
}

TEST(Neighbours, TellEachOtherTheirFileAndTheirMtu) {
  PairNode one{"spark1"};
  PairNode two{"spark2"};
  wire(one.spark, "enp1s0f0np0", two.spark, "enp1s0f0np0");
  wire(one.spark, "enP2p1s0f0np0", two.spark, "enP2p1s0f0np0");
  one.start(9000);
  two.start(9000);
  one.says("here and on spark2");
  two.says("here and on spark1");
  EXPECT_THAT(one.gate(), AllOf(HasSubstr("✓ peer mtu   spark2 has 9000 on enp1s0f0np0"),
                                Not(HasSubstr("✓ rdma"))))
      << "without an RDMA device there is nothing to prove";

  two.spark.file(fmt::format(kPairWithMtu, 1500));
  one.says("spark2 has 1500 on enP2p1s0f0np0, this end 9000 [SR-GATE-021]");
  one.says("here; spark2 has ");
  two.says("spark1 has 9000 on enp1s0f0np0, this end 1500 [SR-GATE-021]");

  // Nobody is answered but the addresses of the file, and garbage is not answered at all.
  two.spark.ip("address add 192.0.2.99/24 dev enp1s0f0np0");
  constexpr const char* kDetails = "{\"ask\":\"details\",\"node\":\"spark2\",\"version\":1}\n";
  EXPECT_THAT(answer_to(two.spark, "192.0.2.12", kDetails), HasSubstr("\"node\":\"spark1\""));
  EXPECT_EQ(answer_to(two.spark, "192.0.2.99", kDetails), "");
  EXPECT_EQ(answer_to(two.spark, "192.0.2.12", std::string(100'000, 'x')), "");
  two.spark.file(fmt::format(kPairWithMtu, 9000));
  one.says("here and on spark2");

  // In a measurement it takes part within bounds, and not without RDMA; the next run begins as soon
  // as the one before is over.
  const auto bench = [&](const std::string& run, int seconds) {
    return answer_to(
        two.spark, "192.0.2.12",
        fmt::format(R"({{"ask":"bench","node":"spark2","version":1,"bench":{{"run":"{}",)"
                    R"("operation":"write","seconds":{},"queue_pairs":4,)"
                    R"("beside_jobs":false,"is_last":true}}}})"
                    "\n",
                    run, seconds));
  };
  EXPECT_THAT(bench("one", 31), HasSubstr("takes no part in so long"));
  EXPECT_THAT(bench("one", 0), HasSubstr("takes no part in so long"));
  EXPECT_THAT(bench("one", 1), HasSubstr("no RDMA device"));
  EXPECT_THAT(bench("another", 1), HasSubstr("no RDMA device"));

  // Where it is stopped by hand, nobody is heard any more, and why is said.
  one.peers->signal(SIGTERM);
  EXPECT_EQ(one.peers->wait().code, 0);
  const auto last = nlohmann::json::parse(one.spark.read(kReport));
  EXPECT_EQ(last.at("failed"), "spark-reconcile-peers was stopped");
  EXPECT_THAT(last.at("heard"), SizeIs(2));
  for (const auto& heard : last.at("heard")) EXPECT_EQ(heard.at("silent"), true) << heard;
  EXPECT_THAT(one.spark.reconcile({"status"}).out,
              HasSubstr("hears nobody: spark-reconcile-peers was stopped"));
  EXPECT_THAT(one.gate(), Not(HasSubstr("here and on spark2"))) << "what it told ended with it";
  one.start_peers();
  one.says("here and on spark2");

  // Of one that hangs nothing counts any more once it should have said that it lives.
  one.peers->signal(SIGSTOP);
  const auto alive = one.spark.read(protocol::kPeersAliveFile);
  EXPECT_THAT(alive, SizeIs(17)) << "milliseconds since the boot, written in place";
  one.spark.write(protocol::kPeersAliveFile, "0000000000000001\n");
  EXPECT_THAT(one.spark.reconcile({"status"}).out,
              HasSubstr("hears nobody: spark-reconcile-peers hangs, or was killed"));
  EXPECT_THAT(one.gate(), AllOf(Not(HasSubstr("here and on spark2")), Not(HasSubstr("peer mtu"))));
  EXPECT_THAT(one.spark.reconcile({"doctor", "-v"}).out,
              AllOf(HasSubstr("it hears no other node: spark-reconcile-peers hangs, or was killed"),
                    Not(HasSubstr("as on this node: spark2"))));
  EXPECT_THAT(one.spark.reconcile({"wait", "--cluster", "--timeout", "10ms"}), ExitsWith(3));
  one.peers->signal(SIGCONT);
  one.says("here and on spark2");

  // One that cannot write its report does not say that the one before it counts.
  one.stop_peers();
  one.spark.write(protocol::kPeersAliveFile, "0000000000000001\n");
  constexpr const char* kOnlySmallFiles = R"(
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))  # SIGXFSZ is ignored
os.execv(sys.argv[1], sys.argv[1:])
)";
  one.start_peers({"python3", "-c", kOnlySmallFiles});
  const auto answers = [&] { return !answer_to(two.spark, "192.0.2.12", kDetails).empty(); };
  EXPECT_TRUE(wait_until(answers, kLongest));
  one.peers->signal(SIGTERM);
  EXPECT_THAT(one.peers->wait().err, HasSubstr(kReport));
  EXPECT_EQ(one.spark.read(protocol::kPeersAliveFile), "0000000000000001\n");
  one.start_peers();
  one.says("here and on spark2");

  // Of a daemon that hangs the other node is told that nothing is known, until it goes on.
  const auto tells_that_one_hangs = [&] {
    return two.spark.reconcile({"doctor", "-n", "spark1"})
        .out.contains("unknown: its daemon hangs, or was killed");
  };
  EXPECT_FALSE(tells_that_one_hangs());
  one.daemon->signal(SIGSTOP);
  one.spark.write(protocol::kDaemonAliveFile, "0000000000000001\n");
  EXPECT_TRUE(wait_until(tells_that_one_hangs, kLongest)) << two.spark.read(kReport);
  EXPECT_THAT(one.spark.json({"status"}).at("cluster").dump(),
              HasSubstr("the daemon hangs, or was killed: it has said nothing since "));
  one.daemon->signal(SIGCONT);
  EXPECT_TRUE(wait_until([&] { return !tells_that_one_hangs(); }, kLongest))
      << two.spark.read(kReport);

  // The daemon's end ends its order; it begins again, and so does the hearing.
  one.daemon->signal(SIGKILL);
  EXPECT_EQ(one.daemon->wait().code, -1);
  one.daemon = std::make_unique<Running>(one.spark.command({"daemon"}));
  two.spark.file(fmt::format(kPairWithMtu, 4000));
  one.says("spark2 has 4000 on enp1s0f0np0, this end 9000 [SR-GATE-021]");
}

const std::string kKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const std::string kOtherKey(64, 'e');
constexpr const char* kRailOfBoth = "enp1s0f0np0";
constexpr const char* kOneIp = "192.0.2.11";
constexpr const char* kTwoIp = "192.0.2.12";

/// A pair whose nodes have keys, each in a file of its own.
class KeyedNeighbours : public ::testing::Test {
 protected:
  KeyedNeighbours() {
    wire(one_.spark, kRailOfBoth, two_.spark, kRailOfBoth);
    wire(one_.spark, "enP2p1s0f0np0", two_.spark, "enP2p1s0f0np0");
    std::filesystem::permissions(keys_.path(), std::filesystem::perms{0755});
  }

  [[nodiscard]] std::string key_file(const std::string& node) const {
    return keys_.path() / (node + ".key");
  }
  /// Replaces it in one rename.
  void put_key(const std::string& node, const std::string& text) const {
    const auto next = keys_.path() / "next";
    std::ofstream(next) << text << "\n";
    std::filesystem::permissions(next, std::filesystem::perms{0600});
    std::filesystem::rename(next, key_file(node));
  }
  /// Empty: that node has none.
  [[nodiscard]] std::string file(bool one_has, bool two_has) const {
    const auto ready = [&](bool has, const std::string& node) {
      return has ? ", ready: { key_file: " + key_file(node) + " }" : "";
    };
    const std::string nodes =
        fmt::format("nodes: {{ spark1: {{ number: 11{} }}, spark2: {{ number: 12{} }} }}",
                    ready(one_has, "spark1"), ready(two_has, "spark2"));
    auto text = fmt::format(kPairWithMtu, 9000);
    const auto at = text.find("nodes:");
    return text.replace(at, text.find('\n', at) - at, nodes);
  }
  void start(bool one_has, bool two_has) {
    for (auto* node : {&one_, &two_}) node->start(file(one_has, two_has));
  }

  /// tests/process/keyed_peer.py on that node.
  [[nodiscard]] static Outcome keyed_peer(const PairNode& node, std::vector<std::string> words) {
    words.insert(words.begin(), {"python3", SPARK_SOURCE_DIR "/tests/process/keyed_peer.py"});
    return run({.argv = std::move(words), .network = node.spark.network()});
  }
  [[nodiscard]] Outcome as_two(std::vector<std::string> words) const {
    return keyed_peer(two_, std::move(words));
  }
  [[nodiscard]] Outcome ask_one(const std::string& key, const std::string& name,
                                const std::string& line) const {
    return as_two({"ask", key, kTwoIp, kOneIp, name, "spark1", line});
  }
  /// What spark1 heard of spark2 on its first rail; null: nothing.
  [[nodiscard]] nlohmann::json heard() const {
    const auto text = one_.spark.read(kReport);
    if (text.empty()) return nullptr;
    const auto report = nlohmann::json::parse(text);
    for (const auto& hello : report.at("heard")) {
      if (hello.at("link") == kRailOfBoth && hello.at("hello").at("node") == "spark2") return hello;
    }
    return nullptr;
  }
  [[nodiscard]] bool is_heard() const {
    return !heard().is_null() && !heard().at("silent").get<bool>();
  }
  /// What `spark-peers WORD` of spark2 prints with that key.
  [[nodiscard]] std::string task(const std::string& word, const std::string& key,
                                 nlohmann::json task) const {
    constexpr const char* kUser = "64123";
    const auto passwd = keys_.path() / "passwd";
    std::ofstream(passwd) << fmt::format("spark-peers:x:{0}:{0}::/:/bin/false\n", kUser);
    put_key("bench", key);
    const auto own = key_file("bench");
    EXPECT_EQ(chown(own.c_str(), 0, std::stoi(kUser)), 0);
    std::filesystem::permissions(own, std::filesystem::perms{0640});
    task["key_file"] = own;
    const auto outcome = run({.argv = {"unshare", "--mount", "sh", "-c",
                                       "mount --bind \"$0\" /etc/passwd && exec \"$1\" \"$2\"",
                                       passwd, peers_program(), word},
                              .input = task.dump() + "\n",
                              .network = two_.spark.network()});
    EXPECT_THAT(outcome, ExitsWith(0)) << outcome.err;
    return outcome.out;
  }

  /// A number that spark2 asks spark1 for.
  [[nodiscard]] std::string bench(const std::string& key) const {
    return task("bench", key,
                {{"node", "spark2"},
                 {"peer", "spark1"},
                 {"run", "one"},
                 {"ours", "write"},
                 {"theirs", "none"},
                 {"seconds", 1},
                 {"queue_pairs", 1},
                 {"beside_jobs", false},
                 {"is_last", false},
                 {"routes",
                  {{{"link", kRailOfBoth},
                    {"local", kTwoIp},
                    {"device", "rxe0"},
                    {"port", 1},
                    {"ip", kOneIp}}}}});
  }
  /// What spark1 recorded, which spark2 asks for at these addresses of it, one after the other.
  [[nodiscard]] nlohmann::json record(const std::string& key,
                                      const std::vector<std::string>& ips) const {
    auto peers = nlohmann::json::array();
    for (const auto& ip : ips) {
      peers.push_back({{"node", "spark1"},
                       {"ip", ip},
                       {"link", kRailOfBoth},
                       {"local", kTwoIp},
                       {"cage", 0},
                       {"rail", 0}});
    }
    return nlohmann::json::parse(task("records", key,
                                      {{"node", "spark2"},
                                       {"peers", std::move(peers)},
                                       {"window", {{"from_ms", 5'000}, {"to_ms", 9'000}}}}));
  }

  PairNode one_{"spark1"};
  PairNode two_{"spark2"};
  TemporaryFolder keys_;
};

TEST_F(KeyedNeighbours, WithTheSameKeyTellEachOtherAllOfIt) {
  put_key("spark1", kKey);
  put_key("spark2", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
  start(true, true);
  one_.says("here and on spark2");
  two_.says("here and on spark1");
  EXPECT_THAT(one_.gate(), HasSubstr("✓ peer mtu   spark2 has 9000 on enp1s0f0np0"));
  EXPECT_THAT(one_.spark.read(kOrder), HasSubstr(key_file("spark1")));

  // Whoever has the key is answered, and each answer shows that spark1 has it too.
  constexpr const char* kDetails = R"({"ask":"details","node":"spark2","version":1})";
  const auto details = ask_one(kKey, "spark2", kDetails);
  EXPECT_THAT(details, ExitsWith(0)) << details.err;
  EXPECT_THAT(details.out, HasSubstr("\"node\":\"spark1\""));
  const auto rdma = ask_one(kKey, "spark2", R"({"ask":"rdma","node":"spark2","version":1})");
  EXPECT_THAT(rdma, ExitsWith(0)) << rdma.err;
  EXPECT_THAT(rdma.out, HasSubstr("no RDMA device"));
  EXPECT_THAT(bench(kKey), AllOf(HasSubstr("spark1: "), HasSubstr("no RDMA device")));

  // The same of what it recorded, over the next address where one does not answer.
  one_.daemon->signal(SIGSTOP);
  one_.spark.write(protocol::kRecordFile,
                   R"({"schema":"spark-reconcile/record/v1","node":"spark1",)"
                   R"("covered":[{"from_ms":4000,"to_ms":6000},{"from_ms":10000,"to_ms":11000}],)"
                   R"("signs":[{"at_ms":4000,"sign":"echo"},{"at_ms":5000,"sign":"xid"}]})");
  one_.spark.write(protocol::kRailsFile,
                   R"({"schema":"spark-reconcile/rails/v1","looked_ms":7000,"running":1,"rails":[)"
                   R"({"link":"enp1s0f0np0","carrier":true,"counts_rdma":true,"sent":5}]})");
  const auto came = record(kKey, {"192.0.2.98", kOneIp});
  EXPECT_EQ(came.at("why"), "") << came;
  EXPECT_THAT(came.at("record").at("signs"), SizeIs(1)) << came;
  EXPECT_EQ(came.at("record").at("signs")[0].at("sign"), "xid");
  EXPECT_THAT(came.at("record").at("covered"), SizeIs(1)) << came;
  EXPECT_LT(std::abs(came.at("record").at("ahead_ms").get<std::int64_t>()), 1000);
  EXPECT_EQ(came.at("rails").at("rails")[0].at("sent"), 5) << came;
  std::filesystem::remove(one_.spark.host_path(protocol::kRecordFile));
  EXPECT_EQ(record(kKey, {kOneIp}).at("why"), "spark1: no daemon has recorded anything there");
  one_.daemon->signal(SIGCONT);

  // Nobody else is.
  const auto other = ask_one(kOtherKey, "spark2", kDetails);
  EXPECT_THAT(other, ExitsWith(3)) << "the answer is made with the key of spark1";
  EXPECT_THAT(other.out, AllOf(HasSubstr("it has another key"), Not(HasSubstr("cluster"))));
  EXPECT_THAT(ask_one(kKey, "spark3", kDetails).out, Not(HasSubstr("cluster")));
  EXPECT_THAT(bench(kOtherKey), HasSubstr("spark1 has another key"));
  EXPECT_EQ(record(kOtherKey, {kOneIp}).at("why"), "spark1 has another key");
  constexpr const char* kRecord = R"({"ask":"record","node":"spark2","version":1})";
  EXPECT_THAT(answer_to(two_.spark, kTwoIp, std::string(kRecord) + "\n"),
              AllOf(HasSubstr("it asks for a key"), Not(HasSubstr("now_ms"))));
  const auto plain = answer_to(two_.spark, kTwoIp, std::string(kDetails) + "\n");
  EXPECT_THAT(plain, AllOf(HasSubstr("it asks for a key"), Not(HasSubstr("cluster"))));

  // The key is in nothing that anybody may read, and in no core.
  std::ifstream limits(fmt::format("/proc/{}/limits", one_.peers->process()));
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(limits), {}),
              ::testing::ContainsRegex("Max core file size +0 +0 "));
  for (const auto* node : {&one_, &two_}) {
    for (const auto* path : {kOrder, kReport}) {
      EXPECT_THAT(node->spark.read(path),
                  AllOf(Not(HasSubstr("AAECAwQF")), Not(HasSubstr("00010203"))));
    }
  }
}

TEST_F(KeyedNeighbours, WithDifferentKeysSaySoUntilOneIsReplaced) {
  put_key("spark1", kKey);
  put_key("spark2", kOtherKey);
  start(true, true);
  one_.says("here; spark2 has another key");
  two_.says("here; spark1 has another key");
  EXPECT_THAT(one_.gate(), Not(HasSubstr("peer mtu")));
  EXPECT_TRUE(heard().is_null());

  put_key("spark2", kKey);
  one_.says("here and on spark2");
  two_.says("here and on spark1");

  std::filesystem::permissions(key_file("spark2"), std::filesystem::perms{0644});
  two_.says("is open to everybody, who may have read it");
  one_.says("here; spark2 has no key (ready.key_file)");
}

TEST_F(KeyedNeighbours, OfWhichOneHasNoKeySaySo) {
  put_key("spark1", kKey);
  start(true, false);
  one_.says("here; spark2 has no key (ready.key_file)");
  two_.says("here; spark1 asks for a key, and this node has none");
  EXPECT_THAT(two_.gate(), Not(HasSubstr("peer mtu")));
}

TEST_F(KeyedNeighbours, TakeNoForgedAndNoReplayedHello) {
  put_key("spark1", kKey);
  put_key("spark2", kKey);
  start(true, true);
  one_.says("here and on spark2");
  ASSERT_TRUE(wait_until([&] { return is_heard(); }, kLongest)) << one_.spark.read(kReport);
  const auto captured = keyed_peer(one_, {"hear", kRailOfBoth, "spark2"});
  ASSERT_THAT(captured, ExitsWith(0)) << captured.err;
  const auto bytes = captured.out.substr(0, captured.out.find('\n'));
  auto hello = heard().at("hello");
  const auto boot = hello.at("boot");
  const auto wait_for_more = [&] {
    // Another hello of spark2 itself comes within five seconds, so what was sent before was read.
    const auto at = [&] { return heard().at("heard_boot_ms").get<std::int64_t>(); };
    two_.spark.file(file(true, true) + "# " + std::to_string(at()) + "\n");
    const auto before = at();
    EXPECT_TRUE(wait_until([&] { return at() != before; }, kLongest));
  };

  // One that was forged, and one of another boot, as somebody would send it again after a reboot.
  hello["verdict"] = "forged";
  hello["seq"] = hello.at("seq").get<std::int64_t>() + 1'000'000;
  ASSERT_THAT(as_two({"say", kRailOfBoth, kOtherKey, hello.dump()}), ExitsWith(0));
  hello["boot"] = "an-earlier-boot";
  hello["verdict"] = "of an earlier boot";
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(as_two({"say", kRailOfBoth, kKey, hello.dump()}), ExitsWith(0));
    wait_for_more();
    EXPECT_EQ(heard().at("hello").at("boot"), boot);
    EXPECT_THAT(heard().dump(), AllOf(Not(HasSubstr("forged")), Not(HasSubstr("earlier boot"))));
  }

  // Once spark2 is silent, what it said before does not bring it back.
  two_.stop_peers();
  ASSERT_TRUE(wait_until([&] { return !is_heard(); }, kLongest));
  const auto silent = heard();
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(as_two({"send", kRailOfBoth, bytes}), ExitsWith(0));
    ASSERT_THAT(as_two({"say", kRailOfBoth, kKey, hello.dump()}), ExitsWith(0));
    EXPECT_FALSE(wait_until([&] { return heard() != silent; }, std::chrono::seconds(1)));
  }
  two_.start_peers();
  EXPECT_TRUE(wait_until([&] { return is_heard(); }, kLongest));
}

TEST(Neighbours, TakeAChangedFileInTheOrderOfItsRollout) {
  PairNode one{"spark1"};
  PairNode two{"spark2"};
  wire(one.spark, "enp1s0f0np0", two.spark, "enp1s0f0np0");
  wire(one.spark, "enP2p1s0f0np0", two.spark, "enP2p1s0f0np0");
  one.start(9000);
  two.start(9000);
  one.says("here and on spark2");
  two.says("here and on spark1");

  // Nothing of the cable changes: spark2 first.
  const auto staged = [](int bytes) {
    return fmt::format(kPairWithMtu, 9000) +
           fmt::format(
               "host: {{ sysctl: {{ net.ipv4.ip_local_port_range: {} 60999 }} }}\n"
               "rollout: {{ canary: spark2 }}\n",
               bytes);
  };
  const auto has = [](const PairNode& node, const std::string& value) {
    return node.spark.read("/run/spark-reconcile/status.json").find(value) != std::string::npos;
  };
  one.spark.file(staged(40000));
  EXPECT_TRUE(wait_until([&] { return has(one, "\"why\": \"still has "); }, kLongest))
      << one.spark.read("/run/spark-reconcile/status.json");
  EXPECT_THAT(one.spark.reconcile({"plan"}).out, HasSubstr("Roll-out: spark2, then spark1."));
  EXPECT_THAT(one.spark.reconcile({"status"}).out, HasSubstr("waits for spark2, which still has"));

  // It comes to spark2 too, late, and then spark1 takes it without a hand.
  two.spark.file(staged(40000));
  EXPECT_TRUE(
      wait_until([&] { return has(one, "\"rollout\": null") && has(one, "40000"); }, 2 * kLongest))
      << one.spark.read("/run/spark-reconcile/status.json");

  // spark2 is gone, and a person says so.
  two.stop_peers();
  one.spark.file(staged(41000));
  EXPECT_TRUE(wait_until([&] { return has(one, "\"why\": \"is silent\""); }, 2 * kLongest))
      << one.spark.read("/run/spark-reconcile/status.json");
  EXPECT_THAT(one.spark.reconcile({"sync", "--skip", "spark9", "--why", "repair"}), ExitsWith(1));
  EXPECT_THAT(one.spark.reconcile({"sync", "--skip", "spark2"}), ExitsWith(64));
  EXPECT_THAT(one.spark.reconcile({"sync", "--skip", "spark2", "--why", "repair"}), ExitsWith(0));
  EXPECT_TRUE(wait_until([&] { return has(one, "41000"); }, kLongest))
      << one.spark.read("/run/spark-reconcile/status.json");
}

TEST(Neighbours, TakeAChangedFileGroupByGroup) {
  std::vector<std::unique_ptr<PairNode>> nodes;
  for (const auto* name : {"spark1", "spark2", "spark3"}) {
    nodes.push_back(std::make_unique<PairNode>(name));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& next = nodes[(i + 1) % 3]->spark;
    wire(nodes[i]->spark, "enp1s0f0np0", next, "enp1s0f1np1");
    wire(nodes[i]->spark, "enP2p1s0f0np0", next, "enP2p1s0f1np1");
  }
  const auto file = [](int port) {
    return fmt::format(R"(version: 1
cluster: ring
nodes: {{ spark1: {{ number: 1 }}, spark2: {{ number: 2 }}, spark3: {{ number: 3 }} }}
fabric:
  cables:
    - {{ ends: [spark1:0, spark2:1], subnets: [192.168.172.0/24, 192.168.173.0/24] }}
    - {{ ends: [spark2:0, spark3:1], subnets: [192.168.174.0/24, 192.168.175.0/24] }}
    - {{ ends: [spark3:0, spark1:1], subnets: [192.168.176.0/24, 192.168.177.0/24] }}
host: {{ sysctl: {{ net.ipv4.ip_local_port_range: {} 60999 }} }}
rollout: {{ order: [[spark3], [spark1, spark2]] }}
)",
                       port);
  };
  for (const auto& node : nodes) node->start(file(40000));
  const auto says = [&](std::size_t of, const std::vector<std::string>& verb,
                        const std::string& words) {
    const auto said = [&] { return nodes[of]->spark.reconcile(verb).out; };
    EXPECT_TRUE(wait_until([&] { return said().find(words) != std::string::npos; }, 2 * kLongest))
        << words << "\n"
        << said() << nodes[of]->spark.read(kReport);
  };
  const std::vector<std::string> status{"status"};
  const std::vector<std::string> brief{"status", "--brief"};
  for (std::size_t i = 0; i < 3; ++i) {
    says(i, {"status", "-n", fmt::format("spark{}", (i + 1) % 3 + 1)}, ", as here");
  }
  EXPECT_THAT(nodes[0]->spark.reconcile(status).out, Not(HasSubstr("roll-out of")));

  // It comes to the last group first, which waits, and each node says so.
  nodes[0]->spark.file(file(41000));
  nodes[1]->spark.file(file(41000));
  says(0, status, "; spark1 waits for spark3, which still has ");
  says(0, status, "; spark2 waits for spark3\n");
  says(1, status, "; spark2 waits for spark3, which still has ");
  says(2, status, "; spark1 and spark2 wait for spark3\n");
  for (std::size_t i = 0; i < 3; ++i) says(i, brief, ": 0 of 3 nodes have it, waits for spark3\n");
  const auto rollout = nodes[2]->spark.json({"status"}).at("cluster").at("rollout");
  EXPECT_EQ(rollout.at("nodes").at(0).at("node"), "spark3") << rollout;
  EXPECT_EQ(rollout.at("nodes").at(1).at("step"), "waits") << rollout;

  // Then to the first one too, and all take it without a hand.
  nodes[2]->spark.file(file(41000));
  for (const auto& node : nodes) {
    const auto digest = nodes[2]->spark.json({"validate"}).at("digest");
    EXPECT_TRUE(wait_until(
        [&] {
          const auto text = node->spark.read("/run/spark-reconcile/status.json");
          return nlohmann::json::parse(text).at("digest") == digest;
        },
        2 * kLongest))
        << node->spark.read("/run/spark-reconcile/status.json");
  }
  const auto is_over = [&] {
    return std::ranges::all_of(nodes, [](const auto& node) {
      return node->spark.json({"status"}).at("cluster").at("rollout").is_null();
    });
  };
  EXPECT_TRUE(wait_until(is_over, 2 * kLongest)) << nodes[0]->spark.reconcile(status).out;
}

// No cable joins spark1 to spark3, nor spark2 to spark4.
TEST(Neighbours, HearWhoIsAcrossARingThroughOneAnother) {
  std::string file = "version: 1\ncluster: four\nnodes:\n";
  std::string cables = "fabric:\n  cables:\n";
  std::vector<std::unique_ptr<PairNode>> nodes;
  for (int i = 1; i <= 4; ++i) {
    nodes.push_back(std::make_unique<PairNode>(fmt::format("spark{}", i)));
    file += fmt::format("  spark{}: {{ number: {} }}\n", i, i);
    cables += fmt::format(
        "    - {{ ends: [spark{}:0, spark{}:1], subnets: [192.168.{}.0/24, 192.168.{}.0/24] }}\n",
        i, i % 4 + 1, 170 + 2 * i, 171 + 2 * i);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& next = nodes[(i + 1) % 4]->spark;
    wire(nodes[i]->spark, "enp1s0f0np0", next, "enp1s0f1np1");
    wire(nodes[i]->spark, "enP2p1s0f0np0", next, "enP2p1s0f1np1");
  }
  for (const auto& node : nodes) node->start(file + cables);

  const auto told = [&](std::size_t of, std::size_t other) -> nlohmann::json {
    const auto status = nodes[of]->spark.json({"status"});
    for (const auto& node : status.at("cluster").at("nodes")) {
      if (node.at("node") == fmt::format("spark{}", other + 1)) return node;
    }
    return {};
  };
  for (std::size_t i = 0; i < 4; ++i) {
    const auto across = (i + 2) % 4;
    const auto is_heard = [&] {
      const auto node = told(i, across);
      return node.at("told_by") != "" && !node.at("heard_ms_ago").is_null() &&
             node.at("has_our_file") == true;
    };
    ASSERT_TRUE(wait_until(is_heard, 2 * kLongest)) << told(i, across).dump(1);
    EXPECT_THAT(nodes[i]->spark.reconcile({"status"}).out,
                ::testing::ContainsRegex(fmt::format("spark{} .* s by spark", across + 1)));
  }

  // What a neighbour told before it fell silent is no news: the other one tells.
  const auto teller = told(0, 2).at("told_by");
  const std::size_t first = teller == "spark2" ? 1 : 3;
  nodes[first]->stop_peers();
  const std::string other = first == 1 ? "spark4" : "spark2";
  EXPECT_TRUE(wait_until([&] { return told(0, 2).at("told_by") == other; }, 2 * kLongest))
      << told(0, 2).dump(1);
  nodes[4 - first]->stop_peers();
  EXPECT_TRUE(wait_until([&] { return told(0, 2).at("follows_from") != ""; }, 2 * kLongest))
      << told(0, 2).dump(1);
  EXPECT_THAT(nodes[0]->spark.reconcile({"status", "-v"}).out, HasSubstr("follows from spark"));
  for (const std::size_t each : {first, 4 - first}) nodes[each]->start_peers();

  // Who is across is silent, and its neighbours say so.
  // Both have heard it anew: what spark1 still has of theirs may be of before they were stopped.
  const auto hears_across = [&](std::size_t of) {
    const auto node = told(of, 2);
    return !node.at("heard_ms_ago").is_null() && node.at("silent") == false;
  };
  EXPECT_TRUE(wait_until([&] { return hears_across(1) && hears_across(3); }, 2 * kLongest))
      << told(1, 2).dump(1) << told(3, 2).dump(1);
  EXPECT_TRUE(wait_until([&] { return told(0, 2).at("told_by") != ""; }, 2 * kLongest))
      << told(0, 2).dump(1);
  nodes[2]->stop_peers();
  EXPECT_TRUE(wait_until([&] { return told(0, 2).at("silent") == true; }, 2 * kLongest))
      << told(0, 2).dump(1);
  EXPECT_TRUE(told(0, 2).at("heard_ms_ago").is_null());
}

}  // namespace
}  // namespace spark::test
