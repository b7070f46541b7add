#include "kinds/storage/nvme_identity.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "protocol/nvme.hpp"

namespace spark {
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
  return {
      Skipped::Why::kNotEnforced, "SR-NVME-009",
      fmt::format("'{}' reads {}, which is no {}: put the right one there, or remove the file "
                  "for a new one",
                  path, in_quotes(text), path == std::string_view(kHostIdFile) ? "UUID" : "NQN")};
}

}  // namespace

std::string host_nqn(View& view) {
  const auto& file = view.file(kHostNqnFile);
  const auto nqn = file ? first_line(*file) : "";
  return is_nqn(nqn) ? nqn : "";
}

void observe_identity(View& view, const Context& context, Observed<Nvme>& observed) {
  const Nvme::Key key{};
  const auto& nqn_file = view.file(kHostNqnFile);
  const auto& id_file = view.file(kHostIdFile);
  if (!nqn_file || !id_file) {
    observed.skipped.emplace(key, unreadable(nqn_file ? id_file.error() : nqn_file.error()));
    return;
  }
  const auto nqn = first_line(*nqn_file);
  const auto id = first_line(*id_file);
  if (!nqn.empty() && !is_nqn(nqn)) {
    observed.skipped.emplace(key, broken(kHostNqnFile, nqn));
    return;
  }
  if (!id.empty() && !is_uuid(id)) {
    observed.skipped.emplace(key, broken(kHostIdFile, id));
    return;
  }
  if (nqn.empty() || id.empty()) {
    if (auto why = irreplaceable(view, nqn.empty() ? kHostNqnFile : kHostIdFile)) {
      observed.skipped.emplace(key, std::move(*why));
    } else if (nqn.empty() != id.empty()) {
      observed.state.emplace(key, Nvme::Value{.missing = nqn.empty() ? kHostNqnFile : kHostIdFile,
                                              .is_identity = true});
    }
    return;
  }
  observed.state.emplace(key, Nvme::Value{.is_identity = true});
  const auto& machine = view.identity();
  const auto machine_id = machine ? machine->machine_id : "";
  LedgerEntry entry{.ours = machine_id, .original = nqn};
  const auto label = Nvme::label(key);
  if (const auto* old = remembered(context, Nvme::kName, label)) {
    if (old->original == nqn && !old->ours.empty() && !machine_id.empty() &&
        old->ours != machine_id) {
      observed.skipped.emplace(
          key,
          Skipped{Skipped::Why::kNotEnforced, "SR-NVME-016",
                  fmt::format("this disk was cloned from another machine ({}), and so was its "
                              "host NQN: targets take both for one host. Remove {} and {}, and "
                              "apply",
                              old->ours, kHostNqnFile, kHostIdFile)});
      entry = *old;
    }
  }
  observed.remember.emplace(label, std::move(entry));
}

Result<> make_identity(Host& host) {
  const auto nqn_file = host.files.read(kHostNqnFile);
  if (!nqn_file) return std::unexpected(nqn_file.error());
  const auto id_file = host.files.read(kHostIdFile);
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
    if (auto written = host.files.write_durably(kHostIdFile, id + "\n", 0644); !written) {
      return written;
    }
  }
  if (nqn.empty()) {
    return host.files.write_durably(kHostNqnFile, fmt::format("{}{}\n", kByUuid, id), 0644);
  }
  return {};
}

Result<> remove_identity(const std::string& only, Host& host) {
  for (const auto* path : {kHostNqnFile, kHostIdFile}) {
    if (!only.empty() && only != path) {
      continue;
    }
    if (auto removed = host.files.remove(path); !removed) return removed;
  }
  return {};
}

}  // namespace spark
