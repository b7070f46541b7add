#include "fake/fake_sysctl.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::test {

Result<host::SysctlValue> FakeSysctl::read(const std::string& key) {
  const auto file = host::sysctl_file(key);
  if (!file) return std::unexpected(file.error());
  if (auto readable = writes_.readable(key); !readable) {
    return std::unexpected(readable.error());
  }
  const auto found = values_.find(*file);
  if (found == values_.end()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("read sysctl '{}': No such file or directory", key));
  }
  return found->second;
}

Result<> FakeSysctl::write(const std::string& key, const std::string& text) {
  const auto what = fmt::format("set sysctl '{}' to '{}'", key, text);
  const auto file = host::sysctl_file(key);
  if (!file) return std::unexpected(file.error());
  const auto found = values_.find(*file);
  if (found == values_.end()) {
    return fail(ErrorCode::kNotFound, what + ": No such file or directory");
  }
  if (!found->second.writable) {
    return fail(ErrorCode::kPermission, what + ": Permission denied");
  }
  if (auto admitted = writes_.admit(what); !admitted) return admitted;
  for (const auto& [suffix, act] : on_write_) {
    const auto acted = file->ends_with(suffix) ? act(*file, text) : Result<>{};
    if (!acted) return acted;
  }
  found->second.text = fold_blanks(text);
  writes_.record(FakePort::kSysctl, what);
  return {};
}

void FakeSysctl::set(const std::string& key, const std::string& text, bool writable) {
  values_.insert_or_assign(host::sysctl_file(key).value(),
                           host::SysctlValue{fold_blanks(text), writable});
}

void FakeSysctl::add_link(const std::string& link) {
  for (const auto* name : {"arp_ignore", "arp_announce", "promote_secondaries", "rp_filter"}) {
    set(fmt::format("net/ipv4/conf/{}/{}", link, name), "0");
  }
  set(fmt::format("net/ipv6/conf/{}/addr_gen_mode", link), "0");
  set(fmt::format("net/ipv6/conf/{}/accept_ra", link), "1");
}

void FakeSysctl::remove_link(const std::string& link) {
  for (const auto* family : {"ipv4", "ipv6"}) {
    const auto prefix = fmt::format("net/{}/conf/{}/", family, link);
    std::erase_if(values_, [&](const auto& value) { return value.first.starts_with(prefix); });
  }
}

std::string FakeSysctl::text(const std::string& key) const {
  const auto found = values_.find(host::sysctl_file(key).value_or(""));
  return found == values_.end() ? "0" : found->second.text;
}

}  // namespace spark::test
