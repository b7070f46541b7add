#pragma once
// FakeProcesses: what runs in a fake world, unit by unit.

#include <algorithm>
#include <string>
#include <vector>

#include "fake/fake_writes.hpp"
#include "host/processes.hpp"

namespace spark::test {

class FakeProcesses : public host::Processes {
 public:
  explicit FakeProcesses(const FakeWrites& writes) : writes_(writes) {}

  Result<std::vector<host::ProcessGroup>> groups() override {
    auto readable = writes_.readable("processes");
    return readable ? Result<std::vector<host::ProcessGroup>>(groups_)
                    : std::unexpected(readable.error());
  }

  /// A unit starts, or starts again, with that limit.
  void run(const std::string& path, std::uint64_t memlock_bytes) {
    std::erase_if(groups_, [&](const host::ProcessGroup& group) { return group.path == path; });
    groups_.push_back({.path = path, .memlock_soft = memlock_bytes, .memlock_hard = memlock_bytes});
  }

 private:
  const FakeWrites& writes_;
  std::vector<host::ProcessGroup> groups_;
};

}  // namespace spark::test
