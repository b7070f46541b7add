// Two daemons in two namespaces, each with its spark-peers: what one tells, the other's gate says.

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <poll.h>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPair = R"(version: 1
cluster: pair
nodes: {{ spark1: {{ number: 11 }}, spark2: {{ number: 12 }} }}
fabric:
  mtu: {}
  cables:
    - {{ ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }}
)";
constexpr const char* kOrder = "/run/spark-reconcile/peers-order.json";
constexpr std::chrono::seconds kLongest{30};
constexpr const char* kReport = "/run/spark-reconcile-peers/peers.json";

/// spark-peers is beside the program.
std::string peers_program() {
  return std::filesystem::path(std::getenv("SPARK_RECONCILE")).replace_filename("spark-peers");
}

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

/// A machine of the pair, with both services.
class PairNode {
 public:
  explicit PairNode(const std::string& name) : spark(name) {}

  void start(int mtu) {
    spark.file(fmt::format(kPair, mtu));
    EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(4)) << "virtual links have no RDMA";
    daemon = std::make_unique<Running>(spark.command({"daemon"}));
    // As systemd, which starts it once the daemon is ready.
    EXPECT_TRUE(wait_until([&] { return !spark.read(kOrder).empty(); }, kLongest));
    spark.write("/run/spark-reconcile-peers/.keep", "");
    peers = std::make_unique<Running>(
        Command{.argv = {peers_program(), spark.host_path(kOrder).string(),
                         spark.host_path("/run/spark-reconcile/hello.socket").string(),
                         spark.host_path(kReport).string()},
                .network = spark.network()});
  }
  [[nodiscard]] std::string gate() const { return spark.reconcile({"gate"}).out; }
  /// Until its gate says so, for at most half a minute.
  void says(const std::string& text) const {
    const auto said = [&] { return gate().find(text) != std::string::npos; };
    EXPECT_TRUE(wait_until(said, kLongest)) << text << "\n" << gate() << spark.read(kReport);
  }

  Spark spark;
  std::unique_ptr<Running> daemon;
  std::unique_ptr<Running> peers;
};

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

  two.spark.file(fmt::format(kPair, 1500));
  one.says("spark2 has 1500 on enP2p1s0f0np0, this end 9000 [SR-GATE-021]");
  one.says("here; spark2 has ");
  two.says("spark1 has 9000 on enp1s0f0np0, this end 1500 [SR-GATE-021]");

  // Nobody is answered but the addresses of the file, and garbage is not answered at all.
  two.spark.ip("address add 192.0.2.99/24 dev enp1s0f0np0");
  constexpr const char* kDetails = "{\"ask\":\"details\",\"node\":\"spark2\",\"version\":1}\n";
  EXPECT_THAT(answer_to(two.spark, "192.0.2.12", kDetails), HasSubstr("\"node\":\"spark1\""));
  EXPECT_EQ(answer_to(two.spark, "192.0.2.99", kDetails), "");
  EXPECT_EQ(answer_to(two.spark, "192.0.2.12", std::string(100'000, 'x')), "");
  two.spark.file(fmt::format(kPair, 9000));
  one.says("here and on spark2");

  // In a measurement it takes part within bounds, in one run at a time, and not without RDMA.
  const auto bench = [&](const std::string& run, int seconds) {
    return answer_to(
        two.spark, "192.0.2.12",
        fmt::format(R"({{"ask":"bench","node":"spark2","version":1,"bench":{{"run":"{}",)"
                    R"("operation":"write","seconds":{},"queue_pairs":4,)"
                    R"("beside_jobs":false}}}})"
                    "\n",
                    run, seconds));
  };
  EXPECT_THAT(bench("one", 31), HasSubstr("takes no part in so long"));
  EXPECT_THAT(bench("one", 0), HasSubstr("takes no part in so long"));
  EXPECT_THAT(bench("one", 1), HasSubstr("no RDMA device"));
  EXPECT_THAT(bench("another", 1), HasSubstr("another bench with spark2 goes on"));
  EXPECT_THAT(bench("one", 1), HasSubstr("no RDMA device"));

  // The daemon's end ends its order; it begins again, and so does the hearing.
  one.daemon->signal(SIGKILL);
  EXPECT_EQ(one.daemon->wait().code, -1);
  one.daemon = std::make_unique<Running>(one.spark.command({"daemon"}));
  two.spark.file(fmt::format(kPair, 4000));
  one.says("spark2 has 4000 on enp1s0f0np0, this end 9000 [SR-GATE-021]");
}

}  // namespace
}  // namespace spark::test
