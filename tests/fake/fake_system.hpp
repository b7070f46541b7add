#pragma once
// FakeSystem: who a fake machine is, and who is logged in.

#include <vector>

#include "fake/fake_writes.hpp"
#include "host/system.hpp"

namespace spark::test {

class FakeSystem : public host::System {
 public:
  explicit FakeSystem(const FakeWrites& writes) : writes_(writes) {}

  Result<host::Identity> identity() override { return readable_or("identity", identity_); }
  Result<bool> can_change_network() override { return privileged_; }
  Result<std::vector<host::SshSession>> ssh_sessions() override {
    return readable_or("ssh sessions", sessions_);
  }

  void set_identity(host::Identity identity) { identity_ = std::move(identity); }
  void set_privileged(bool privileged) { privileged_ = privileged; }
  /// From that address, or from one of which nobody asks.
  void add_ssh_session(const IpAddress& local, const IpAddress& peer = {}) {
    sessions_.push_back({.local = local, .peer = peer});
  }

 private:
  template <class T>
  Result<T> readable_or(const std::string& what, const T& value) const {
    auto readable = writes_.readable(what);
    return readable ? Result<T>(value) : std::unexpected(readable.error());
  }

  const FakeWrites& writes_;
  host::Identity identity_{.hostname = "spark1",
                           .machine_id = "00000000000000000000000000000001",
                           .kernel = "6.17.0-1014-nvidia"};
  bool privileged_ = true;
  std::vector<host::SshSession> sessions_;
};

}  // namespace spark::test
