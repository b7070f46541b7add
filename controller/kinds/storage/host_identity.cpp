#include "kinds/storage/host_identity.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "kinds/storage/storage_units.hpp"

namespace spark::kinds {
namespace {

/// NVM Express base specification, 4.5: a host NQN made from a UUID.
constexpr std::string_view kByUuid = "nqn.2014-08.org.nvmexpress:uuid:";
constexpr std::size_t kLongestNqn = 223;  // NVMF_NQN_SIZE - 1, linux/nvme.h

std::string first_line(const std::optional<std::string>& text) {
  return text ? fold_blanks(text->substr(0, text->find('\n'))) : "";
}

bool is_nqn(std::string_view text) {
  return !text.empty() && text.size() <= kLongestNqn &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~' && c != ','; });
}

bool is_uuid(std::string_view text) {
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return text.size() == kShape.size() && std::ranges::equal(text, kShape, [](char c, char shape) {
           const bool hex = is_ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
           return shape == '-' ? c == '-' : hex;
         });
}

Skipped broken(const char* path, const std::string& text) {
  return {Skipped::Why::kNotEnforced, "SR-NVME-009",
          fmt::format("'{}' reads {}, which is no {}: put the right one there, or remove the file "
                      "for a new one",
                      path, in_quotes(text),
                      path == std::string_view(protocol::kHostIdFile) ? "UUID" : "NQN")};
}

/// Remembers on which machine the identity was seen. One that was made on another machine is
/// skipped.
void remember_owner(host::View& view, const Context& context, const std::string& nqn,
                    Observed<HostIdentity>& observed) {
  const HostIdentity::Key key{};
  const auto label = HostIdentity::label(key);
  const auto& machine = view.identity();
  const auto machine_id = machine ? machine->machine_id : "";
  LedgerEntry entry{.ours = machine_id, .original = nqn};
  const auto* old = remembered(context, HostIdentity::kName, label);
  if (old != nullptr && old->original == nqn && !old->ours.empty() && !machine_id.empty() &&
      old->ours != machine_id) {
    observed.skipped.emplace(
        key,
        Skipped{Skipped::Why::kNotEnforced, "SR-NVME-016",
                fmt::format("this disk was cloned from another machine ({}), and so was its host "
                            "NQN: targets take both for one host. Remove {} and {}, and apply",
                            old->ours, protocol::kHostNqnFile, protocol::kHostIdFile)});
    entry = *old;
  }
  observed.remember.emplace(label, std::move(entry));
}

Result<> make_identity(host::Host& host) {
  const auto nqn_file = host.files.read(protocol::kHostNqnFile);
  if (!nqn_file) return std::unexpected(nqn_file.error());
  const auto id_file = host.files.read(protocol::kHostIdFile);
  if (!id_file) return std::unexpected(id_file.error());
  auto nqn = first_line(*nqn_file);
  auto id = first_line(*id_file);
  if (id.empty()) {
    const auto by_uuid = nqn.starts_with(kByUuid) ? nqn.substr(kByUuid.size()) : "";
    if (is_uuid(by_uuid)) {
      id = by_uuid;
    } else {
      auto made = host.storage.random_uuid();
      if (!made) return std::unexpected(made.error());
      id = *std::move(made);
    }
    if (auto written = host.files.write_durably(protocol::kHostIdFile, id + "\n", 0644); !written) {
      return written;
    }
  }
  if (nqn.empty()) {
    return host.files.write_durably(protocol::kHostNqnFile, fmt::format("{}{}\n", kByUuid, id),
                                    0644);
  }
  return {};
}

Result<> remove_identity(const std::string& only, host::Host& host) {
  for (const auto* path : {protocol::kHostNqnFile, protocol::kHostIdFile}) {
    if (!only.empty() && only != path) continue;
    if (auto removed = host.files.remove(path); !removed) return removed;
  }
  return {};
}

}  // namespace

std::string host_nqn(host::View& view) {
  const auto& file = view.file(protocol::kHostNqnFile);
  const auto nqn = file ? first_line(*file) : "";
  return is_nqn(nqn) ? nqn : "";
}

Desired<HostIdentity> HostIdentity::desired(const config::Node& node) {
  Desired<HostIdentity> desired;
  if (!node.storage.empty()) desired.want({}, {}, {node.storage.front().where});
  return desired;
}

Result<Observed<HostIdentity>> HostIdentity::observe(host::View& view,
                                                     const Desired<HostIdentity>& wanted,
                                                     const Context& context) {
  Observed<HostIdentity> observed;
  if (wanted.state.empty()) {
    return observed;  // one that was made stays: other tools may use it by now
  }
  const Key key{};
  const auto& world = view.nvme();
  if (!world) return std::unexpected(world.error());
  if (auto why = without_storage(view, *world)) {
    observed.skipped.emplace(key, std::move(*why));
    return observed;
  }
  const auto& nqn_file = view.file(protocol::kHostNqnFile);
  if (!nqn_file) return std::unexpected(nqn_file.error());
  const auto& id_file = view.file(protocol::kHostIdFile);
  if (!id_file) return std::unexpected(id_file.error());
  const auto nqn = first_line(*nqn_file);
  const auto id = first_line(*id_file);
  if (!nqn.empty() && !is_nqn(nqn)) {
    observed.skipped.emplace(key, broken(protocol::kHostNqnFile, nqn));
  } else if (!id.empty() && !is_uuid(id)) {
    observed.skipped.emplace(key, broken(protocol::kHostIdFile, id));
  } else if (nqn.empty() || id.empty()) {
    const auto* const missing = nqn.empty() ? protocol::kHostNqnFile : protocol::kHostIdFile;
    if (auto why = irreplaceable(view, missing)) {
      observed.skipped.emplace(key, std::move(*why));
    } else if (nqn.empty() != id.empty()) {
      observed.state.emplace(key, Value{.missing = missing});
    }
  } else {
    observed.state.emplace(key, Value{});
    remember_owner(view, context, nqn, observed);
  }
  return observed;
}

Outcome HostIdentity::apply(const Change<HostIdentity>& change, host::Host& host) {
  const bool is_whole = change.after && change.after->missing.empty();
  return waits_or_fails(is_whole
                            ? make_identity(host)
                            : remove_identity(change.after ? change.after->missing : "", host));
}

std::string HostIdentity::label(const Value& value) {
  return value.missing.empty()
             ? fmt::format("{} and {}", protocol::kHostNqnFile, protocol::kHostIdFile)
             : fmt::format("{} is absent", value.missing);
}

}  // namespace spark::kinds
