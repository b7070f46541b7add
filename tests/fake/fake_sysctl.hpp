#pragma once
// FakeSysctl: the /proc/sys of a fake world.

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "fake/fake_writes.hpp"
#include "host/sysctl.hpp"

namespace spark::test {

class FakeSysctl : public host::Sysctl {
 public:
  explicit FakeSysctl(FakeWrites& writes) : writes_(writes) {}

  Result<host::SysctlValue> read(const std::string& key) override;
  Result<> write(const std::string& key, const std::string& text) override;

  /// Makes or changes a key without us: not counted, not refused.
  void set(const std::string& key, const std::string& text, bool writable = true);
  /// What a write of a key that ends in `suffix` does besides; its error is that of the write.
  void on_write(const std::string& suffix,
                std::function<Result<>(const std::string& file, const std::string& text)> act) {
    on_write_.insert_or_assign(suffix, std::move(act));
  }
  /// The keys below net/ipv4/conf/LINK and net/ipv6/conf/LINK that come and go with a link.
  void add_link(const std::string& link);
  void remove_link(const std::string& link);
  /// "0" when there is no such key.
  [[nodiscard]] std::string text(const std::string& key) const;

 private:
  FakeWrites& writes_;
  std::map<std::string, host::SysctlValue> values_;  ///< by file below /proc/sys
  std::map<std::string, std::function<Result<>(const std::string&, const std::string&)>> on_write_;
};

}  // namespace spark::test
