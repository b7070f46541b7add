#pragma once
// NamespaceTest: a fixture in a network namespace of its own, with a second one at the other end of
// its cables.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/unique_fd.hpp"
#include "host/linux/netlink/linux_netlink.hpp"

namespace spark::test {

/// A network namespace, gone with the last who holds or uses it.
class Namespace {
 public:
  /// The one in which the calling thread is.
  static Namespace current();
  /// A new, empty one, in which the calling thread is from now on.
  static Namespace enter_new();

  void enter() const;
  /// A path that other processes can open, as long as this one lives.
  [[nodiscard]] std::string path() const;

 private:
  explicit Namespace(UniqueFd descriptor) : descriptor_(std::move(descriptor)) {}
  UniqueFd descriptor_;
};

/// Each test starts with a bare loopback link, and ends in the namespace in which it began.
class NamespaceTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Runs `ip` with these words in the node's namespace; the test fails when it fails. Gives what
  /// it wrote.
  std::string ip(const std::string& words) const;
  /// The same at the far end of the cables.
  std::string ip_at_peer(const std::string& words) const;
  /// What `ip -json` says of the node.
  [[nodiscard]] nlohmann::json ip_json(const std::string& words) const;

  /// Waits until no global address of the node's or of the peer's is tentative. The kernel ends
  /// that in a work item of its own, also with `nodad` and on `lo`; until then nobody can use the
  /// address.
  void wait_until_usable() const;

  /// A veth pair, down, whose other end has the same name in the peer's namespace and is up.
  void add_cable(const std::string& name) const;
  /// The four rails of a Spark, by the names of DGX OS.
  void add_rails() const;

  /// The link as the kernel has it now.
  host::LinkInfo link(const std::string& name);
  /// The addresses on it.
  std::vector<host::AddressInfo> addresses_of(const std::string& name);

  host::LinuxNetlink netlink_;

 private:
  std::vector<Namespace> namespaces_;  ///< the outer one, the node's, the peer's
};

}  // namespace spark::test
