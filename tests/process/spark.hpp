#pragma once
// Spark: a machine to run spark-reconcile on. Its links, addresses, routes and net.* settings are a
// network namespace, its /etc, /var and /run a directory; both are gone with it, however the test
// ends.

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/unique_fd.hpp"
#include "process/command.hpp"

namespace spark::test {

class Spark {
 public:
  /// Its links have no IPv6 link-local addresses and no duplicate address detection, which takes
  /// seconds; a test that is about them turns them on.
  explicit Spark(std::string hostname = "spark1");
  Spark(const Spark&) = delete;
  Spark& operator=(const Spark&) = delete;
  ~Spark();

  /// Carries out lines of `ip -batch`; the test fails where one is refused.
  void ip(const std::string& lines) const;
  /// Adds a link with carrier: a veth whose other end, "x-NAME", is up in the same namespace.
  void add_link(const std::string& name) const;
  /// A descriptor of the network namespace, and a name for it that `ip` takes.
  [[nodiscard]] int network() const { return network_.get(); }
  [[nodiscard]] std::string network_path() const;
  /// Waits, for at most ten seconds, until the kernel has finished what it does by itself after a
  /// change: duplicate address detection, and telling that a carrier came.
  void settle() const;

  /// Paths as the program knows them, "/etc/hosts".
  void write(const std::string& path, const std::string& text) const;
  /// Empty when there is no such file.
  [[nodiscard]] std::string read(const std::string& path) const;
  [[nodiscard]] std::filesystem::path host_path(const std::string& path) const;
  [[nodiscard]] std::string sysctl(const std::string& key) const;
  void set_sysctl(const std::string& key, const std::string& value) const;

  /// Makes `text` the cluster file of this machine.
  void file(const std::string& text) const;
  /// A file of one node, this one, whose `links:` are these lines (their indentation is added).
  void file_with_links(const std::string& lines) const;

  /// The command line of spark-reconcile on this machine, and what comes of it.
  [[nodiscard]] Command command(const std::vector<std::string>& arguments) const;
  [[nodiscard]] Outcome reconcile(const std::vector<std::string>& arguments) const;
  /// The same with --json, parsed.
  [[nodiscard]] nlohmann::json json(std::vector<std::string> arguments) const;

  /// What `ip` prints.
  [[nodiscard]] std::string show(const std::vector<std::string>& arguments) const;
  /// Links, addresses and routes in full, once they are settled.
  [[nodiscard]] std::string dump() const;
  /// "192.0.2.1/24", sorted, those that the kernel made included.
  [[nodiscard]] std::vector<std::string> addresses(const std::string& link) const;
  /// One value of `ip -json -details link show`.
  [[nodiscard]] nlohmann::json link(const std::string& name) const;

 private:
  std::string hostname_;
  UniqueFd network_;
  std::filesystem::path root_;
};

/// Joins two machines by a wire, a link on each.
void wire(const Spark& a, const std::string& link_a, const Spark& b, const std::string& link_b);

/// Runs `function` on a thread that is in the network namespace.
void in_network(int network, const std::function<void()>& function);

/// Looks again and again. False: it does not hold for that long.
bool wait_until(const std::function<bool()>& holds, std::chrono::seconds longest);

/// Reads a file of the source tree.
std::string source_file(const std::string& path);

// As gmock names its own. NOLINTNEXTLINE(readability-identifier-naming)
MATCHER_P(ExitsWith, code, "") { return arg.code == code; }

}  // namespace spark::test
