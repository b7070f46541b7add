#pragma once
// FakeModules: the kernel modules of a fake world. Loading one is the fake systemd's doing.

#include <map>
#include <string>

#include "fake/fake_writes.hpp"
#include "host/modules.hpp"

namespace spark::test {

class FakeModules : public host::Modules {
 public:
  explicit FakeModules(const FakeWrites& writes) : writes_(writes) {}

  Result<host::ModuleInfo> look(const std::string& name) override {
    if (auto readable = writes_.readable("modules"); !readable) {
      return std::unexpected(readable.error());
    }
    const auto found = modules_.find(name);
    return found == modules_.end() ? host::ModuleInfo{} : found->second;
  }

  // What happens to the world without us.

  /// There is a file of it for the running kernel.
  void add(const std::string& name) { modules_[name].available = true; }
  /// There is none any more.
  void remove(const std::string& name) { modules_.erase(name); }
  void build_in(const std::string& name) {
    modules_[name] = {.loaded = false, .built_in = true, .available = true};
  }
  /// As modprobe(8) does, if there is a file of it and it can start.
  void load(const std::string& name) {
    if (const auto found = modules_.find(name); found != modules_.end()) {
      found->second.loaded = name != broken_;
    }
  }
  void unload(const std::string& name) { modules_[name].loaded = false; }
  /// Its start fails, no matter who loads it.
  void break_module(std::string name) { broken_ = std::move(name); }

 private:
  const FakeWrites& writes_;
  std::map<std::string, host::ModuleInfo> modules_;
  std::string broken_;
};

}  // namespace spark::test
