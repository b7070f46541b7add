#pragma once
// FakeProcesses: what runs in a fake world, unit by unit.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
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

  Result<std::optional<host::RunningProcess>> process(std::uint32_t pid) override {
    if (auto readable = writes_.readable("processes"); !readable) {
      return std::unexpected(readable.error());
    }
    const auto found = std::ranges::find(processes_, pid, &host::RunningProcess::pid);
    return found == processes_.end() ? std::nullopt : std::optional(*found);
  }

  std::optional<host::ProcessPlace> place(std::uint32_t pid) override {
    const auto found = places_.find(pid);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

  void put_place(std::uint32_t pid, const host::ProcessPlace& place) { places_[pid] = place; }
  /// A process begins, and ends.
  void begin(host::RunningProcess process) { processes_.push_back(std::move(process)); }
  void end(std::uint32_t pid) {
    std::erase_if(processes_,
                  [pid](const host::RunningProcess& process) { return process.pid == pid; });
  }

  /// A unit starts, or starts again, with that limit.
  void run(const std::string& path, std::uint64_t memlock_bytes) {
    std::erase_if(groups_, [&](const host::ProcessGroup& group) { return group.path == path; });
    groups_.push_back({.path = path, .memlock_soft = memlock_bytes, .memlock_hard = memlock_bytes});
  }

 private:
  const FakeWrites& writes_;
  std::vector<host::ProcessGroup> groups_;
  std::vector<host::RunningProcess> processes_;
  std::map<std::uint32_t, host::ProcessPlace> places_;
};

}  // namespace spark::test
