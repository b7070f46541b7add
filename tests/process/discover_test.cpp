// `init --discover` on one machine and `join` on the others, each in a network namespace.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kFile = "/etc/spark-reconcile/cluster.yaml";
constexpr const char* kTrustedKeys = "/etc/spark-reconcile/trusted";
constexpr const char* kNodeKey = "/var/lib/spark-reconcile/node.key";
constexpr std::chrono::seconds kPatience{25};

/// A machine with two cages, on which a verb runs. It has the user spark-peers, as a package makes
/// it, and what is typed comes through a pipe that stays open.
class Discoverer {
 public:
  explicit Discoverer(const std::string& name) : spark(name) {
    std::ifstream passwd("/etc/passwd");
    std::string users(std::istreambuf_iterator<char>(passwd), {});
    spark.write("/passwd", users + "spark-peers:x:64999:64999::/:/usr/sbin/nologin\n");
    EXPECT_EQ(mkfifo(spark.host_path("/typed").c_str(), 0600), 0);
  }

  void start(const std::vector<std::string>& words, bool on_terminal = false) {
    auto command = spark.command(words);
    std::string line = "exec";
    for (const auto& word : command.argv) line += " '" + word + "'";
    if (on_terminal) line = "exec script --quiet --return --command \"" + line + "\" /dev/null";
    const auto passwd = spark.host_path("/passwd").string();
    const auto typed = spark.host_path("/typed").string();
    command.argv = {"unshare", "--mount", "sh", "-c",
                    "mount --bind '" + passwd + "' /etc/passwd && " + line + " <>'" + typed + "'"};
    running = std::make_unique<Running>(command);
  }
  void type(const std::string& text) const {
    std::ofstream typed(spark.host_path("/typed"));
    typed << text << std::flush;
  }
  /// Until it has printed that.
  void says(const std::string& text) const {
    const auto said = [&] { return running->output().find(text) != std::string::npos; };
    EXPECT_TRUE(wait_until(said, kPatience)) << text << "\n" << running->output();
  }
  /// The four words that it shows; empty: none.
  [[nodiscard]] std::string words() const {
    static const std::regex kWords(R"(    (([a-z]{5} ){3}[a-z]{5})\r?\n)");
    const auto text = running->output();
    std::smatch found;
    return std::regex_search(text, found, kWords) ? found[1].str() : "";
  }
  [[nodiscard]] bool has_said_yes() const {
    return running->output().contains("waiting until all nodes have said yes");
  }
  /// A packet socket of this machine.
  [[nodiscard]] bool listens() const {
    const auto sockets = run({.argv = {"cat", "/proc/net/packet"}, .network = spark.network()}).out;
    return std::ranges::count(sockets, '\n') > 1;
  }

  Spark spark;
  std::unique_ptr<Running> running;
};

/// A cable from a cage to a cage: two rails.
void cable(const Discoverer& a, int cage_a, const Discoverer& b, int cage_b) {
  for (const auto* domain : {"", "P2"}) {
    const auto rail = [&](int cage) { return fmt::format("en{}p1s0f{}np{}", domain, cage, cage); };
    wire(a.spark, rail(cage_a), b.spark, rail(cage_b));
    a.spark.ip("link set " + rail(cage_a) + " up");
    b.spark.ip("link set " + rail(cage_b) + " up");
  }
}

/// As schema/output/join.schema.json has it.
void expect_json_of_join(const std::string& text, const std::string& words) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  ASSERT_TRUE(json.is_object()) << text;
  EXPECT_EQ(json["schema"], "spark-reconcile/join/v1");
  EXPECT_EQ(json["node"], "spark2");
  EXPECT_EQ(json["founder"], "spark1");
  EXPECT_EQ(json["words"], words);
  EXPECT_EQ(json["path"], kFile);
  EXPECT_EQ(json["was_there"], false);
  EXPECT_EQ(json["trusted"], nlohmann::json({"spark1"}));
}

TEST(Discover, TwoPeopleCompareFourWordsAndBothNodesHaveTheFile) {
  Discoverer one("spark1");
  Discoverer two("spark2");
  cable(one, 0, two, 1);
  two.spark.ip("address add 192.168.177.5/24 dev enp1s0f1np1");
  two.start({"join"}, true);
  one.start({"init", "--discover"}, true);
  one.says("Write this file to /etc/spark-reconcile/cluster.yaml, and offer it to spark2?");
  one.type("y\n");
  two.says("Does spark1 show the same words?");
  one.says("Are they the same? [y/N]");
  EXPECT_EQ(one.words(), two.words());
  EXPECT_NE(one.words(), "");
  EXPECT_TRUE(two.listens());
  two.type("yes\n");
  EXPECT_TRUE(wait_until([&] { return two.has_said_yes(); }, kPatience)) << two.running->output();
  for (const auto* node : {&one, &two}) {
    EXPECT_EQ(node->spark.read(kFile), "") << "nothing is written before the yes of all";
    EXPECT_EQ(node->spark.read(kTrustedKeys), "");
  }
  one.type("y\n");
  const auto joined = two.running->wait();
  EXPECT_THAT(joined, ExitsWith(0));
  EXPECT_THAT(joined.out, HasSubstr("next: sudo spark-reconcile apply"));
  const auto founded = one.running->wait();
  EXPECT_THAT(founded, ExitsWith(0));
  EXPECT_THAT(founded.out,
              AllOf(HasSubstr("spark1 cage 0 ══ spark2 cage 1"),
                    HasSubstr("all have said yes; spark2 says so too, and has the file")));
  EXPECT_THAT(one.spark.read(kTrustedKeys), MatchesRegex("spark2 ed25519 [A-Za-z0-9+/]{43}=\n"));
  EXPECT_THAT(two.spark.read(kTrustedKeys), MatchesRegex("spark1 ed25519 [A-Za-z0-9+/]{43}=\n"));
  EXPECT_EQ(std::filesystem::status(one.spark.host_path(kNodeKey)).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto file = one.spark.read(kFile);
  EXPECT_THAT(file, AllOf(HasSubstr("[spark1:0, spark2:1]"),
                          HasSubstr("[192.168.178.0/24, 192.168.179.0/24]")))
      << "spark2 uses 192.168.177.0/24";
  EXPECT_EQ(two.spark.read(kFile), file);
  EXPECT_FALSE(one.listens());
  EXPECT_FALSE(two.listens());
}

/// All but the first node join by the words that the first one prints. All end well.
void found_and_join(const std::vector<std::unique_ptr<Discoverer>>& nodes) {
  for (std::size_t i = 1; i < nodes.size(); ++i) nodes[i]->start({"join", "--words", "-"});
  nodes[0]->start({"init", "--discover", "--nodes", std::to_string(nodes.size()), "--yes"});
  ASSERT_TRUE(wait_until([&] { return !nodes[0]->words().empty(); }, kPatience))
      << nodes[0]->running->output();
  for (std::size_t i = 1; i < nodes.size(); ++i) nodes[i]->type(nodes[0]->words() + "\n");
  for (const auto& node : nodes) {
    const auto outcome = node->running->wait();
    EXPECT_THAT(outcome, ExitsWith(0)) << outcome.out << outcome.err;
    EXPECT_EQ(node->spark.read(kFile), nodes[0]->spark.read(kFile));
  }
}

std::vector<std::unique_ptr<Discoverer>> nodes_of(int count) {
  std::vector<std::unique_ptr<Discoverer>> nodes;
  for (int number = 1; number <= count; ++number) {
    nodes.push_back(std::make_unique<Discoverer>("spark" + std::to_string(number)));
  }
  return nodes;
}

TEST(Discover, ARingOfThreeWithoutATerminal) {
  const auto nodes = nodes_of(3);
  for (std::size_t i = 0; i < 3; ++i) cable(*nodes[i], 0, *nodes[(i + 1) % 3], 1);
  found_and_join(nodes);
  EXPECT_THAT(nodes[0]->spark.read(kFile),
              AllOf(HasSubstr("[spark1:0, spark2:1]"), HasSubstr("[spark1:1, spark3:0]"),
                    HasSubstr("[spark2:0, spark3:1]")));
}

TEST(Discover, InARingOfFourTheFileReachesTheDiagonal) {
  const auto nodes = nodes_of(4);
  for (std::size_t i = 0; i < 4; ++i) cable(*nodes[i], 0, *nodes[(i + 1) % 4], 1);
  found_and_join(nodes);
  EXPECT_THAT(nodes[2]->spark.read(kFile),
              AllOf(HasSubstr("[spark1:1, spark4:0]"), HasSubstr("[spark2:0, spark3:1]")));
}

TEST(Discover, PrintsJson) {
  Discoverer one("spark1");
  Discoverer two("spark2");
  cable(one, 0, two, 0);
  two.start({"join", "--words", "-", "--json"});
  one.start({"init", "--discover", "--nodes", "2", "--yes"});
  ASSERT_TRUE(wait_until([&] { return !one.words().empty(); }, kPatience)) << one.running->output();
  two.type(one.words() + "\n");
  const auto outcome = two.running->wait();
  EXPECT_THAT(outcome, ExitsWith(0));
  expect_json_of_join(outcome.out, one.words());
}

/// Two nodes at a switch that somebody else is at too.
struct Attacked {
  explicit Attacked(const std::string& mode) {
    fabric.ip("link add br0 type bridge\nlink set br0 up");
    const auto join = [&](const Spark& who, const std::string& link, const std::string& port) {
      wire(who, link, fabric, port);
      who.ip("link set " + link + " up");
      fabric.ip("link set " + port + " up master br0");
    };
    join(one.spark, "enp1s0f0np0", "p1");
    join(two.spark, "enp1s0f0np0", "p2");
    join(eve, "eve0", "p3");
    forger = std::make_unique<Running>(Command{
        .argv = {"python3", SPARK_SOURCE_DIR "/tests/process/discover_forger.py", "eve0", mode},
        .network = eve.network()});
  }

  Spark fabric{"switch"};
  Spark eve{"eve"};
  Discoverer one{"spark1"};
  Discoverer two{"spark2"};
  std::unique_ptr<Running> forger;
};

TEST(Discover, WhatIsForgedReplayedAndSwappedCountsForNothing) {
  Attacked attacked("content");
  auto& [fabric, eve, one, two, forger] = attacked;
  std::string trusted;
  // The second time with frames of the first, and with a key of spark2 that is known.
  for (int time = 0; time < 2; ++time) {
    two.start({"join", "--words", "-"});
    one.start({"init", "--discover", "--nodes", "2", "--yes"});
    ASSERT_TRUE(wait_until([&] { return !one.words().empty(); }, kPatience))
        << one.running->output();
    two.type(one.words() + "\n");
    for (auto* node : {&one, &two}) {
      const auto outcome = node->running->wait();
      EXPECT_THAT(outcome, ExitsWith(0)) << outcome.out << outcome.err;
    }
    EXPECT_NE(one.spark.read(kFile), "");
    EXPECT_EQ(one.spark.read(kFile), two.spark.read(kFile));
    EXPECT_EQ(time == 0 ? one.spark.read(kTrustedKeys) : trusted, one.spark.read(kTrustedKeys));
    trusted = one.spark.read(kTrustedKeys);
  }
}

TEST(Discover, TwoSourcesOfOneNodeAreSaidAndNothingIsWritten) {
  Attacked attacked("identity");
  attacked.two.start({"join", "--words", "-"});
  attacked.one.start({"init", "--discover", "--nodes", "2", "--yes"});
  for (auto* node : {&attacked.one, &attacked.two}) {
    const auto outcome = node->running->wait();
    EXPECT_THAT(outcome, ExitsWith(1));
    EXPECT_THAT(outcome.err, HasSubstr("two sources say that they are spark"));
    EXPECT_EQ(node->spark.read(kFile) + node->spark.read(kTrustedKeys), "");
  }
}

TEST(Discover, FourAtASwitchOnWhichBothRailsOfACageHearEachOther) {
  const Spark fabric("switch");
  fabric.ip("link add br0 type bridge\nlink set br0 up");
  const auto nodes = nodes_of(4);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const auto* rail : {"enp1s0f0np0", "enP2p1s0f0np0"}) {
      const auto port = "p" + std::to_string(i) + (rail[2] == 'P' ? "b" : "a");
      wire(nodes[i]->spark, rail, fabric, port);
      nodes[i]->spark.ip("link set " + std::string(rail) + " up");
      fabric.ip("link set " + port + " master br0 up");
    }
  }
  found_and_join(nodes);
  EXPECT_THAT(nodes[3]->spark.read(kFile),
              AllOf(HasSubstr("cluster: switched"), HasSubstr("- spark1:0"),
                    HasSubstr("- spark4:0"), HasSubstr("name: switch1")));
}

TEST(Discover, OtherWordsAreRefusedAndBothSaySo) {
  Discoverer one("spark1");
  Discoverer two("spark2");
  cable(one, 0, two, 0);
  two.spark.ip("link set enp1s0f0np0 down");  // the other rail is enough
  one.start({"init", "--discover", "--nodes", "2", "--yes"});
  two.start({"join", "--words", "lusab babad gutih tugad"});
  const auto joined = two.running->wait();
  EXPECT_THAT(joined, ExitsWith(6));
  EXPECT_THAT(joined.err, HasSubstr("not 'lusab babad gutih tugad': nothing was written"));
  const auto founded = one.running->wait();
  EXPECT_THAT(founded, ExitsWith(6));
  EXPECT_THAT(founded.err, HasSubstr("spark2 did not take the file"));
  for (const auto* node : {&one, &two}) {
    EXPECT_EQ(node->spark.read(kFile), "");
    EXPECT_EQ(node->spark.read(kTrustedKeys), "");
  }
}

TEST(Discover, TheFoundersPersonMaySayNoToTheWords) {
  Discoverer one("spark1");
  Discoverer two("spark2");
  cable(one, 0, two, 0);
  two.start({"join", "--words", "-"});
  one.start({"init", "--discover"}, true);
  one.says("offer it to spark2?");
  one.type("y\n");
  one.says("Are they the same? [y/N]");
  two.type(one.words() + "\n");
  one.type("n\n");
  EXPECT_THAT(one.running->wait(), ExitsWith(6));
  const auto joined = two.running->wait();
  EXPECT_THAT(joined, ExitsWith(6));
  EXPECT_THAT(joined.err, HasSubstr("spark1 did not take the file"));
  for (const auto* node : {&one, &two}) {
    EXPECT_EQ(node->spark.read(kFile), "");
    EXPECT_EQ(node->spark.read(kTrustedKeys), "");
  }
}

TEST(Discover, AnotherKeyOfAKnownNodeIsRefused) {
  Discoverer one("spark1");
  Discoverer two("spark2");
  cable(one, 0, two, 0);
  one.spark.write(kTrustedKeys, "spark2 ed25519 " + std::string(43, 'A') + "=\n");
  two.start({"join", "--words", "-"});
  one.start({"init", "--discover", "--nodes", "2", "--yes"});
  const auto founded = one.running->wait();
  EXPECT_THAT(founded, ExitsWith(1));
  EXPECT_THAT(founded.err, HasSubstr("sudo spark-reconcile join --forget spark2"));
  EXPECT_THAT(two.running->wait(), ExitsWith(6));
  EXPECT_EQ(one.spark.read(kFile) + two.spark.read(kFile) + two.spark.read(kTrustedKeys), "");
}

TEST(Discover, NoFileIsReplaced) {
  Discoverer one("spark1");
  Discoverer two("spark2");
  cable(one, 0, two, 0);
  two.spark.file("# mine\n");
  one.start({"init", "--discover", "--nodes", "2", "--yes"});
  two.start({"join", "--words", "-"});
  const auto joined = two.running->wait();
  EXPECT_THAT(joined, ExitsWith(1));
  EXPECT_THAT(joined.err, HasSubstr("move it away (sudo mv"));
  EXPECT_EQ(two.spark.read(kFile), "# mine\n");
  EXPECT_THAT(one.running->wait(), ExitsWith(6));
}

constexpr const char* kPairFile = R"(version: 1
cluster: lab
nodes:
  spark1: { number: 1 }
  spark2: { number: 2 }
fabric:
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/26, 192.0.2.64/26] }
)";

TEST(Discover, NodesThatHaveAFileExchangeKeysAlone) {
  Discoverer one("spark1");
  Discoverer two("spark2");
  cable(one, 0, two, 0);
  one.spark.file(kPairFile);
  two.spark.file("# another\n" + std::string(kPairFile));
  one.start({"join"}, true);
  two.start({"join"}, true);
  for (auto* node : {&one, &two}) {
    node->says("another cluster file than this node");
    node->says("show the same words on spark");
  }
  EXPECT_EQ(one.words(), two.words());
  for (auto* node : {&one, &two}) node->type("y\n");
  for (auto* node : {&one, &two}) {
    const auto outcome = node->running->wait();
    EXPECT_THAT(outcome, ExitsWith(0));
    EXPECT_THAT(outcome.out, HasSubstr("next: sudo spark-reconcile plan --all"));
  }
  EXPECT_THAT(one.spark.read(kTrustedKeys), MatchesRegex("spark2 ed25519 [A-Za-z0-9+/]{43}=\n"));
  EXPECT_THAT(two.spark.read(kTrustedKeys), MatchesRegex("spark1 ed25519 [A-Za-z0-9+/]{43}=\n"));
  EXPECT_EQ(one.spark.read(kFile), kPairFile);
  const auto forgot = one.spark.reconcile({"join", "--forget", "spark2"});
  EXPECT_THAT(forgot, ExitsWith(0));
  EXPECT_THAT(forgot.out, HasSubstr("type there: sudo spark-reconcile join --forget spark1"));
  EXPECT_EQ(one.spark.read(kTrustedKeys), "");
  EXPECT_THAT(one.spark.reconcile({"join", "--forget", "spark2"}), ExitsWith(1));
}

TEST(Discover, ALinkThatIsDownIsSaidAndNotSetUp) {
  Discoverer one("spark1");
  Discoverer two("spark2");
  cable(one, 0, two, 0);
  cable(one, 1, two, 1);
  for (const auto* link : {"enp1s0f1np1", "enP2p1s0f1np1"}) {
    one.spark.ip("link set " + std::string(link) + " down");
  }
  one.start({"join", "--words", "-"});
  one.says(
      "spark1 cage 1: down, so a cable in it is not seen. Where there is one: sudo ip link set "
      "enp1s0f1np1 up");
  two.start({"join", "--words", "-"});
  two.says("spark2 cage 1: no carrier. No cable is in it, or the cage at its other end is down");
  two.says("spark1 cage 0 ══ spark2 cage 0");
  EXPECT_THAT(one.spark.show({"link", "show", "enp1s0f1np1"}), HasSubstr("state DOWN"));
  // Whoever ends a verb ends what listens for it.
  one.running->signal(SIGINT);
  static_cast<void>(one.running->wait());
  EXPECT_TRUE(wait_until([&] { return !one.listens(); }, kPatience));
}

TEST(Discover, SaysWhatIsMissing) {
  const Spark spark;
  const auto no_cage = spark.reconcile({"join", "--words", "-"});
  EXPECT_THAT(no_cage, ExitsWith(1));
  EXPECT_THAT(no_cage.err, HasSubstr("no cage of a ConnectX-7 is here"));
  spark.add_link("enp1s0f0np0");
  EXPECT_THAT(spark.reconcile({"join"}), ExitsWith(6)) << "nobody can be asked";
  EXPECT_THAT(spark.reconcile({"init", "--discover"}), ExitsWith(1));
  EXPECT_THAT(spark.reconcile({"init", "--discover", "--yes"}), ExitsWith(64));
  EXPECT_THAT(spark.reconcile({"init", "--nodes", "2", "--pair"}), ExitsWith(64));
  auto as_user = spark.command({"join", "--words", "-"});
  as_user.as_nobody = true;
  const auto refused = run(as_user);
  EXPECT_THAT(refused, ExitsWith(1));
  EXPECT_THAT(refused.err, HasSubstr("join needs root: `sudo spark-reconcile "));
}

}  // namespace
}  // namespace spark::test
