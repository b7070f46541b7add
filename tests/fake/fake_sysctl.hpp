#pragma once
// FakeSysctl: the /proc/sys of a fake world.

#include <map>
#include <string>

#include "fake/fake_writes.hpp"
#include "host/sysctl.hpp"

namespace spark {

class FakeSysctl : public Sysctl {
 public:
  explicit FakeSysctl(FakeWrites& writes) : writes_(writes) {}

  Result<SysctlValue> read(const std::string& key) override;
  Result<> write(const std::string& key, const std::string& text) override;

  /// Makes or changes a key without us: not counted, not refused.
  void set(const std::string& key, const std::string& text, bool writable = true);
  /// The keys below net/ipv4/conf/LINK that come and go with a link.
  void add_link(const std::string& link);
  void remove_link(const std::string& link);
  /// "0" when there is no such key.
  [[nodiscard]] std::string text(const std::string& key) const;

 private:
  FakeWrites& writes_;
  std::map<std::string, SysctlValue> values_;  ///< by file below /proc/sys
};

}  // namespace spark
