#pragma once
// PairNode: a node of a pair in a network namespace, with its daemon and its spark-peers.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "process/spark.hpp"

namespace spark::test {

inline constexpr const char* kPairWithMtu = R"(version: 1
cluster: pair
nodes: {{ spark1: {{ number: 11 }}, spark2: {{ number: 12 }} }}
fabric:
  mtu: {}
  cables:
    - {{ ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }}
)";
inline constexpr const char* kOrder = "/run/spark-reconcile/peers-order.json";
inline constexpr std::chrono::seconds kLongest{30};
inline constexpr const char* kReport = "/run/spark-reconcile-peers/peers.json";

/// spark-peers is beside the program.
inline std::string peers_program() {
  return std::filesystem::path(std::getenv("SPARK_RECONCILE")).replace_filename("spark-peers");
}

/// A machine of the pair, with both services.
class PairNode {
 public:
  explicit PairNode(const std::string& name) : spark(name) {}

  void start(int mtu) { start(fmt::format(kPairWithMtu, mtu)); }
  void start(const std::string& file) {
    spark.file(file);
    EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(4)) << "virtual links have no RDMA";
    daemon = std::make_unique<Running>(spark.command({"daemon"}));
    // As systemd, which starts it once the daemon is ready.
    EXPECT_TRUE(wait_until([&] { return !spark.read(kOrder).empty(); }, kLongest));
    spark.write("/run/spark-reconcile-peers/.keep", "");
    start_peers();
  }
  /// Ends spark-peers, and has it begin again.
  void stop_peers() {
    peers->signal(SIGKILL);
    EXPECT_EQ(peers->wait().code, -1);
    peers.reset();
  }
  /// `before`: the words of a command that executes the others.
  void start_peers(std::vector<std::string> before = {}) {
    for (const auto& word : {peers_program(), spark.host_path(kOrder).string(),
                             spark.host_path("/run/spark-reconcile/hello.socket").string(),
                             spark.host_path(kReport).string()}) {
      before.push_back(word);
    }
    peers =
        std::make_unique<Running>(Command{.argv = std::move(before), .network = spark.network()});
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

}  // namespace spark::test
