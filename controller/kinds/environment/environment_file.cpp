#include "kinds/environment/environment_file.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "kinds/environment/nccl_environment.hpp"
#include "kinds/environment/nccl_judge.hpp"
#include "protocol/paths.hpp"

namespace spark::kinds {
namespace {

/// Everything in that directory is ours.
constexpr const char* kEnvironmentFile = protocol::kNcclEnvironment;
/// Read by login shells. Others could have written a file of that name.
constexpr const char* kProfilePath = "/etc/profile.d/spark-reconcile-nccl.sh";

bool is_ours(const std::string& path, const std::string& text) {
  return path == kEnvironmentFile || is_written_by_us(text);
}

Skipped not_ours(const std::string& path) {
  return {Skipped::Why::kNotEnforced, "SR-ENV-002",
          fmt::format("{} was not written by spark-reconcile, and is not replaced: move it away",
                      path)};
}

/// Why the file cannot be made so; empty: it can, or it is so.
std::optional<Skipped> obstacle(host::View& view, const std::string& path,
                                const std::optional<std::string>& text, const std::string& wanted) {
  if (text == wanted) return std::nullopt;
  if (auto why = irreplaceable(view, path)) return why;
  return text && !is_ours(path, *text) ? std::optional(not_ours(path)) : std::nullopt;
}

/// What a file holds that anyone may have edited goes to terminals.
constexpr std::size_t kLongestShown = 200;

std::string assignment(const std::string& name, const std::string& value) {
  return printable(name + "=" + value, kLongestShown);
}

/// "added NCCL_DEBUG", or how many, where they are too many for a line.
std::string named(std::string_view what, const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 4;
  return names.size() > kMostNamed ? fmt::format("{} {}", what, names.size())
                                   : fmt::format("{} {}", what, fmt::join(names, ", "));
}

/// "changed NCCL_IB_HCA==a (was =b); added NCCL_DEBUG; removed NCCL_IB_TC".
std::string changes_between(const std::string& before, const std::string& after) {
  const auto old = assignments_in(before);
  const auto now = assignments_in(after);
  std::vector<std::string> changed;
  std::vector<std::string> added;
  std::vector<std::string> removed;
  for (const auto& [name, value] : now) {
    const auto found = old.find(name);
    if (found == old.end()) {
      added.push_back(name);
    } else if (found->second != value) {
      changed.push_back(fmt::format("{} (was {})", assignment(name, value),
                                    printable(found->second, kLongestShown)));
    }
  }
  for (const auto& [name, value] : old) {
    if (!now.contains(name)) removed.push_back(printable(name, kLongestShown));
  }
  std::vector<std::string> parts;
  if (!changed.empty()) parts.push_back(fmt::format("changed {}", fmt::join(changed, ", ")));
  if (!added.empty()) parts.push_back(named("added", added));
  if (!removed.empty()) parts.push_back(named("removed", removed));
  return parts.empty() ? "only comments or order change"
                       : fmt::format("{}", fmt::join(parts, "; "));
}

/// A file that is no longer asked for: it goes, if it is ours.
void observe_former(host::View& view, const std::string& path, const std::string& text,
                    Observed<EnvironmentFile>& observed) {
  if (!is_ours(path, text)) return;
  if (const auto why = irreplaceable(view, path)) {
    observed.left_unchanged.push_back({fmt::format("file {}", path), why->reason});
  } else {
    observed.state.emplace(EnvironmentFile::Key{path}, Stated<EnvironmentFile>{{.text = text}});
  }
}

}  // namespace

Desired<EnvironmentFile> EnvironmentFile::desired(const config::Node& node) {
  Desired<EnvironmentFile> desired;
  const auto rails = nccl_rails(node);
  if (!node.environment || rails.empty()) return desired;
  // While a device is absent there is nothing to say of it, and `observe` sets the file aside.
  const bool complete =
      common_family(rails).has_value() &&
      std::ranges::all_of(rails, [](const auto* rail) { return rail->rdma_port.has_value(); });
  const auto variables = complete ? nccl_variables(node) : std::vector<Variable>{};
  desired.want({kEnvironmentFile}, {{.text = environment_text(variables)}},
               {node.environment->where});
  if (const auto& profile = node.environment->profile; profile.value) {
    desired.want({kProfilePath}, {{.text = export_text(variables)}}, {profile.where});
  }
  return desired;
}

Result<Observed<EnvironmentFile>> EnvironmentFile::observe(host::View& view,
                                                           const Desired<EnvironmentFile>& wanted,
                                                           const Context& context) {
  Observed<EnvironmentFile> observed;
  // A rollback, which has no file, wants a text and no rendering.
  const bool renders = context.node.environment && !wanted.state.empty();
  const auto unrendered = renders ? why_not_rendered(view, context.node) : std::nullopt;
  for (const auto* path : {kEnvironmentFile, kProfilePath}) {
    const Key key{path};
    const auto want = wanted.state.find(key);
    const bool asked = want != wanted.state.end();
    if (asked && unrendered) {
      observed.skipped.emplace(key, *unrendered);
      continue;
    }
    const auto& text = view.file(path);
    if (!text) {
      if (asked) observed.skipped.emplace(key, unreadable(text.error()));
    } else if (!asked) {
      if (*text) observe_former(view, path, **text, observed);
    } else if (auto why = obstacle(view, path, *text, want->second.text)) {
      observed.skipped.emplace(key, std::move(*why));
    } else if (*text) {
      observed.state.emplace(key, Stated<EnvironmentFile>{{.text = **text}});
    }
  }
  if (renders && wanted.state.contains({kEnvironmentFile}) &&
      !observed.skipped.contains({kEnvironmentFile})) {
    if (auto shortfalls = shortfalls_of(view, context.node); !shortfalls.empty()) {
      observed.shortfalls.emplace(Key{kEnvironmentFile}, std::move(shortfalls.front()));
    }
  }
  return observed;
}

std::vector<Change<EnvironmentFile>> EnvironmentFile::diff(const State<EnvironmentFile>& desired,
                                                           const State<EnvironmentFile>& actual) {
  auto changes = difference<EnvironmentFile>(desired, actual);
  for (auto& change : changes) {
    if (!change.after) continue;
    if (change.before) {
      change.after->details.changes = changes_between(change.before->text, change.after->text);
    } else {
      const auto devices = assignments_in(change.after->text);
      const auto found = devices.find("NCCL_IB_HCA");
      change.after->details.changes =
          found == devices.end() ? "" : assignment(found->first, found->second);
    }
  }
  return changes;
}

Result<> EnvironmentFile::apply(const Change<EnvironmentFile>& change, host::Host& host) {
  const auto& path = change.key.path;
  return change.after ? host.files.write(path, change.after->text, 0644) : host.files.remove(path);
}

std::string EnvironmentFile::label(const Stated<EnvironmentFile>& value) {
  return fmt::format("{}{}{}", counted(assignments_in(value.text).size(), "variable"),
                     value.details.changes.empty() ? "" : ": ", value.details.changes);
}

}  // namespace spark::kinds
