#include "kinds/memlock/memlock.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "kinds/common/systemd_here.hpp"
#include "kinds/memlock/memlock_lines.hpp"
#include "kinds/memlock/memlock_pending.hpp"

namespace spark::kinds {
namespace {

using StatedLimits = Stated<MemlockSetting>;
using Key = MemlockSetting::Key;

constexpr const char* kLogins = "logins";
constexpr const char* kServices = "services";
constexpr const char* kContainers = "containers";
/// Other units that start containers.
constexpr std::array kOtherRuntimes{"crio.service",
                                    "k3s.service",
                                    "k3s-agent.service",
                                    "rke2-server.service",
                                    "rke2-agent.service",
                                    "snap.microk8s.daemon-containerd.service",
                                    "snap.microk8s.daemon-kubelite.service",
                                    "snap.docker.dockerd.service"};
constexpr const char* kDockerSettings = "/etc/docker/daemon.json";

std::uint64_t bytes_of(const config::Memlock& memlock) {
  return memlock.bytes.value_or(host::kUnlimited);
}

/// limits.conf(5) counts in KiB: what is no multiple gets the rest of one more.
std::uint64_t whole_kibi(std::uint64_t bytes) {
  constexpr std::uint64_t kKibi = 1024;
  return bytes == host::kUnlimited ? bytes : (bytes + kKibi - 1) / kKibi * kKibi;
}

StatedLimits wanted_value(std::uint64_t bytes, std::string text) {
  return {{.soft = bytes, .hard = bytes}, {.file = "", .text = std::move(text)}};
}

/// What the lines of a scope come to.
struct Limits {
  std::optional<std::uint64_t> soft;
  std::optional<std::uint64_t> hard;
  const MemlockLine* overruler = nullptr;  ///< says something else after us
};

/// What `winner` makes of one of the limits. Where it is read after our file, a line of ours would
/// not help: then the limit counts as held, and the winner is named.
std::optional<std::uint64_t> weigh(const MemlockLine* winner,
                                   const std::optional<std::uint64_t>& says,
                                   const std::optional<std::uint64_t>& otherwise,
                                   std::uint64_t want, Limits& limits) {
  if (winner == nullptr) return otherwise;
  if (winner->after_ours && says != want) {
    limits.overruler = winner;
    return want;
  }
  return says;
}

/// `otherwise` is what holds where no line says anything.
Limits weigh_lines(const std::vector<MemlockLine>& lines, std::string_view domain,
                   std::uint64_t want, const std::optional<host::MemlockLimit>& otherwise) {
  const auto* soft = soft_winner(lines, domain);
  const auto* hard = hard_winner(lines, domain);
  Limits limits;
  limits.soft = weigh(soft, soft == nullptr ? std::nullopt : soft->soft,
                      otherwise ? std::optional(otherwise->soft) : std::nullopt, want, limits);
  limits.hard = weigh(hard, hard == nullptr ? std::nullopt : hard->hard,
                      otherwise ? std::optional(otherwise->hard) : std::nullopt, want, limits);
  return limits;
}

std::string said(const std::optional<std::uint64_t>& bytes) {
  return bytes ? host::memlock_text(*bytes) : std::string("nothing");
}

Skipped overruled_by(const MemlockLine& line, const std::string& ours) {
  return {Skipped::Why::kNotEnforced, "SR-MEMLOCK-002",
          fmt::format("{}:{} says {} and is read after {}: change or remove that line", line.file,
                      line.line, said(line.sets_soft ? line.soft : line.hard), ours)};
}

/// What PID 1 may lock, with which pam_limits(8) begins on Debian and Ubuntu.
std::optional<host::MemlockLimit> limit_of_init(host::View& view) {
  const auto& groups = view.process_groups();
  if (!groups) return std::nullopt;
  const auto init = std::ranges::find(*groups, "/init.scope", &host::ProcessGroup::path);
  return init == groups->end()
             ? std::nullopt
             : std::optional(host::MemlockLimit{init->memlock_soft, init->memlock_hard});
}

/// The soft limit in docker's settings, as JSON; empty: there is none. The other settings, a proxy
/// with its password among them, are nobody's business.
Result<std::string> memlock_of_docker_settings(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const nlohmann::json::json_pointer pointer("/default-ulimits/memlock/Soft");
  return json.is_object() && json.contains(pointer) ? json[pointer].dump() : std::string();
}

using PendingText = std::function<std::string(const PendingUnits&, PendingNames)>;

/// One look at all scopes.
class MemlockObserver {
 public:
  MemlockObserver(host::View& view, const Desired<MemlockSetting>& wanted)
      : view_(view), wanted_(wanted) {}

  Observed<MemlockSetting> all() {
    for (const auto& [key, value] : wanted_.state) {
      if (auto why = why_no_systemd(view_)) {
        skipped(key, {Skipped::Why::kUnknown, "SR-MEMLOCK-001",
                      fmt::format("limits of new logins, services and containers are set through "
                                  "systemd, on the machine itself: {}",
                                  *why)});
      } else if (auto looked = observe_one(key, value); !looked) {
        skipped(key, unreadable(looked.error()));
      }
    }
    observe_former();
    return std::move(observed_);
  }

 private:
  void skipped(const Key& key, Skipped why) { observed_.skipped.emplace(key, std::move(why)); }

  Result<> observe_one(const Key& key, const StatedLimits& want) {
    if (key.scope == kLogins) return observe_logins(key, want);
    if (key.scope == kServices) return observe_services(key, want);
    return observe_containers(key, want);
  }

  Result<> observe_logins(const Key& key, const StatedLimits& want) {
    const auto lines = login_memlock_lines(view_);
    if (!lines) return std::unexpected(lines.error());
    const auto init = limit_of_init(view_);
    auto limits = weigh_lines(*lines, "*", *want.soft, init);
    const auto of_root = weigh_lines(*lines, "root", *want.soft, init);
    limits.soft = limits.soft == want.soft ? of_root.soft : limits.soft;
    limits.hard = limits.hard == want.hard ? of_root.hard : limits.hard;
    limits.overruler = limits.overruler == nullptr ? of_root.overruler : limits.overruler;
    for (const auto& line : *lines) {
      const auto less = line.sets_soft ? line.soft : line.hard;
      if (line.domain != "*" && line.domain != "root" && less != want.soft) {
        observed_.left_unchanged.push_back(
            {fmt::format("memlock of logins of '{}': {}", line.domain, said(less)),
             fmt::format("{}:{} says so for them alone, which goes before what is for all",
                         line.file, line.line)});
      }
    }
    return keep(key, want, limits, kLimitsFile, pending_logins);
  }

  Result<> observe_services(const Key& key, const StatedLimits& want) {
    const auto lines = manager_memlock_lines(view_);
    if (!lines) return std::unexpected(lines.error());
    return keep(key, want, weigh_lines(*lines, "", *want.soft, std::nullopt), kManagerFile,
                pending_services);
  }

  /// Containers are children of containerd, also docker's; without a containerd of its own, docker
  /// starts one.
  Result<> observe_containers(const Key& key, const StatedLimits& want) {
    for (const auto* unit : {kContainerd, kDocker}) {
      const auto lines = unit_memlock_lines(view_, unit);
      if (lines) {
        auto kept = keep_containers(key, want, unit, *lines);
        return kept ? name_others(key, want) : kept;
      }
      if (lines.error().code != ErrorCode::kNotFound) return std::unexpected(lines.error());
    }
    observed_.state.emplace(key, want);  // neither of them starts containers here
    return name_others(key, want);
  }

  /// A distribution of Kubernetes brings a containerd of its own, and writes its unit itself.
  Result<> name_others(const Key& key, const StatedLimits& want) {
    const auto& groups = view_.process_groups();
    if (!groups) return {};  // what is said of logins says so
    std::vector<std::string> whys;
    for (const std::string unit : kOtherRuntimes) {
      const bool runs = std::ranges::any_of(*groups, [&](const host::ProcessGroup& group) {
        return host::unit_of_group(group.path) == unit;
      });
      if (!runs) continue;
      const auto lines = unit_memlock_lines(view_, unit);
      if (!lines && lines.error().code == ErrorCode::kNotFound) continue;
      if (!lines) return std::unexpected(lines.error());
      const auto* says = soft_winner(*lines, "");
      if (says == nullptr || says->soft == want.soft) continue;
      whys.push_back(fmt::format(
          "{}:{} says {} for what {} starts, containers among it: `sudo systemctl edit {}`, with "
          "LimitMEMLOCK={} below [Service]",
          says->file, says->line, said(says->soft), unit, unit,
          *want.soft == host::kUnlimited ? "infinity" : std::to_string(*want.soft)));
    }
    if (whys.empty()) return {};
    auto& why = observed_.shortfalls[key];
    // What is pending passes by itself.
    if (why.id == "SR-MEMLOCK-002") whys.insert(whys.begin(), why.reason);
    why = {Skipped::Why::kNotEnforced, "SR-MEMLOCK-002", fmt::format("{}", fmt::join(whys, "; "))};
    return {};
  }

  Result<> keep_containers(const Key& key, const StatedLimits& want, const char* unit,
                           const std::vector<MemlockLine>& lines) {
    auto kept = keep(key, want, weigh_lines(lines, "", *want.soft, std::nullopt),
                     unit_memlock_file(unit), pending_containers);
    if (auto settings = docker_overrules(*want.soft); kept && settings) {
      observed_.shortfalls.insert_or_assign(key, std::move(*settings));
    }
    return kept;
  }

  /// default-ulimits of dockerd(8) go before what it may lock itself.
  std::optional<Skipped> docker_overrules(std::uint64_t want) {
    const auto& kept = view_.excerpt(kDockerSettings, memlock_of_docker_settings);
    if (!kept) return unreadable(kept.error());
    const auto soft = nlohmann::json::parse(kept->value_or(""), nullptr, false);
    if (!soft.is_number_integer()) return std::nullopt;
    const bool none = !soft.is_number_unsigned() && soft.get<std::int64_t>() < 0;
    const auto bytes = none ? host::kUnlimited : soft.get<std::uint64_t>();
    if (bytes == want) return std::nullopt;
    return Skipped{Skipped::Why::kNotEnforced, "SR-MEMLOCK-002",
                   fmt::format("'default-ulimits' of {} gives each container {}: change or remove "
                               "'memlock' there, then `systemctl restart docker`",
                               kDockerSettings, host::memlock_text(bytes))};
  }

  Result<> keep(const Key& key, const StatedLimits& want, const Limits& limits,
                const std::string& file, const PendingText& text_of) {
    const auto& text = view_.file(file);
    if (!text) return std::unexpected(text.error());
    StatedLimits value{{.soft = limits.soft, .hard = limits.hard}, {.file = file, .text = *text}};
    if (limits.overruler != nullptr) {
      observed_.shortfalls.emplace(key, overruled_by(*limits.overruler, file));
    } else if (auto why = value == want ? std::nullopt : irreplaceable(view_, file)) {
      value.soft = want.soft;
      value.hard = want.hard;
      observed_.shortfalls.emplace(key, std::move(*why));
    } else if (auto pending = pending_of(*want.soft, text_of)) {
      observed_.shortfalls.emplace(key, std::move(*pending));
    }
    observed_.state.emplace(key, std::move(value));
    return {};
  }

  std::optional<Skipped> pending_of(std::uint64_t want, const PendingText& text_of) {
    const auto& groups = view_.process_groups();
    if (!groups) return unreadable(groups.error());
    const auto pending = find_pending(view_, *groups, want);
    auto text = text_of(pending, PendingNames::kLeftOut);
    if (text.empty()) return std::nullopt;
    return Skipped{Skipped::Why::kPending, "SR-MEMLOCK-003", std::move(text),
                   text_of(pending, PendingNames::kKept)};
  }

  /// Files of ours whose line is gone.
  void observe_former() {
    const auto look = [&](std::string_view scope, const std::string& file) {
      const auto& text = view_.file(file);
      if (!text || !*text || wanted_.state.contains({std::string(scope)})) return;
      // Without a word to systemd the file would be gone and its limit would stay.
      const auto deaf = scope == kLogins ? std::nullopt : why_no_systemd(view_);
      const auto fixed = irreplaceable(view_, file);
      if (deaf || fixed) {
        observed_.left_unchanged.push_back(
            {fmt::format("our file {}", file), deaf ? *deaf : fixed->reason});
      } else {
        observed_.state.emplace(Key{std::string(scope)},
                                StatedLimits{{}, {.file = file, .text = *text}});
      }
    };
    look(kLogins, kLimitsFile);
    look(kServices, kManagerFile);
    look(kContainers, unit_memlock_file(kContainerd));
    look(kContainers, unit_memlock_file(kDocker));
  }

  host::View& view_;
  const Desired<MemlockSetting>& wanted_;
  Observed<MemlockSetting> observed_;
};

}  // namespace

Desired<MemlockSetting> MemlockSetting::desired(const config::Node& node) {
  Desired<MemlockSetting> desired;
  if (!node.memlock) return desired;
  const auto bytes = bytes_of(node.memlock->value);
  const auto of_logins = whole_kibi(bytes);
  const Origin asked{node.memlock->where};
  desired.want({kLogins}, wanted_value(of_logins, limits_text(of_logins)), asked);
  desired.want({kServices}, wanted_value(bytes, manager_text(bytes)), asked);
  desired.want({kContainers}, wanted_value(bytes, unit_text(bytes)), asked);
  return desired;
}

Result<Observed<MemlockSetting>> MemlockSetting::observe(host::View& view,
                                                         const Desired<MemlockSetting>& wanted,
                                                         const Context& /*context*/) {
  return MemlockObserver(view, wanted).all();
}

std::vector<Change<MemlockSetting>> MemlockSetting::diff(const State<MemlockSetting>& desired,
                                                         const State<MemlockSetting>& actual) {
  return difference<MemlockSetting>(desired, actual);
}

Result<> MemlockSetting::apply(const Change<MemlockSetting>& change, host::Host& host) {
  const auto file = files(change).front();
  const auto text = change.after ? change.after->details.text : std::nullopt;
  auto written = text ? host.files.write(file, *text, 0644) : host.files.remove(file);
  return !written || change.key.scope == kLogins ? written : host.bus.reload_units();
}

std::vector<std::string> MemlockSetting::files(const Change<MemlockSetting>& change) {
  std::vector<std::string> files;
  for (const auto& side : {change.before, change.after}) {
    if (side && files.empty() && !side->details.file.empty()) files.push_back(side->details.file);
  }
  return files;
}

std::vector<host::Helper> MemlockSetting::helpers(const Change<MemlockSetting>& change) {
  return change.key.scope == kLogins ? std::vector<host::Helper>{}
                                     : std::vector{host::Helper::kBusCall};
}

std::string MemlockSetting::label(const Stated<MemlockSetting>& value) {
  if (!value.soft && !value.hard) return value.details.text ? "set by us" : "not set";
  return value.soft == value.hard
             ? said(value.soft)
             : fmt::format("{}, hard limit {}", said(value.soft), said(value.hard));
}

}  // namespace spark::kinds
