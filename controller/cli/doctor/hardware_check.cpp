#include "cli/doctor/hardware_check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "host/hardware_signs.hpp"

namespace spark::cli {
namespace {

using host::HardwareSign;
namespace signs = host::signs;

/// A row of one sign that one look shows.
struct SignRow {
  std::string_view row;   ///< name of the finding
  std::string_view sign;  ///< one of kHardwareSigns
  std::string_view none;  ///< why it is not applicable to a node with a card
  bool is_of_card = true;
};

constexpr std::array kSignRows{
    SignRow{"pcie", signs::kPcie, "the card does not say how many lanes it uses"},
    SignRow{"iommu", signs::kIommu, "the card is in no IOMMU group"},
    SignRow{"heat", signs::kModule, "no module says how hot it is"},
    SignRow{"cabled", signs::kCabled, "no cable, or udev does not know when the card came"},
    SignRow{"kho", signs::kKho, "this kernel sets no memory apart", false},
    SignRow{"kernel", signs::kKernel, "its release is not known", false},
};

/// "what: a, b" for subjects of which the same is said; "what" for the node.
std::string text_of_sign(const std::string& what, const std::vector<std::string>& subjects) {
  return subjects.empty() ? what : fmt::format("{}: {}", fmt::join(subjects, ", "), what);
}

std::vector<diagnosis::Problem> problems_of_sign(const std::string& sign,
                                                 const std::vector<std::string>& subjects) {
  std::vector<diagnosis::Problem> problems;
  for (const auto& subject : subjects) {
    problems.push_back(problem_named(sign));
    problems.back().found.subject = subject;
  }
  if (subjects.empty()) problems.push_back(problem_named(sign));
  return problems;
}

void add_row(const SignRow& row, const std::vector<HardwareSign>& all, Findings& findings) {
  const std::string name(row.row);
  std::vector<std::pair<HardwareSign, std::vector<std::string>>> faults;
  std::vector<std::pair<HardwareSign, std::vector<std::string>>> goods;
  for (const auto& sign : all) {
    if (sign.name != row.sign) continue;
    auto& groups = sign.is_fault ? faults : goods;
    auto same = std::ranges::find_if(
        groups, [&](const auto& group) { return group.first.what == sign.what; });
    if (same == groups.end()) same = groups.insert(groups.end(), {sign, {}});
    if (!sign.subject.empty()) same->second.push_back(printable(sign.subject));
  }
  for (const auto& [sign, subjects] : faults) {
    findings.push_back({name, Severity::kLook, text_of_sign(sign.what, subjects), sign.remedy,
                        problems_of_sign(sign.name, subjects)});
  }
  if (!faults.empty()) return;
  if (goods.empty()) {
    findings.push_back(not_applicable(name, row.none));
    return;
  }
  std::vector<std::string> texts;
  texts.reserve(goods.size());
  for (const auto& [sign, subjects] : goods) texts.push_back(text_of_sign(sign.what, subjects));
  findings.push_back({name, Severity::kGood, fmt::format("{}", fmt::join(texts, "; ")), ""});
}

std::string fec_of(const host::LinkHardware& link) { return link.speed ? link.fec : ""; }

std::string cable_type_of(const host::LinkHardware& link) { return link.speed ? link.cable : ""; }

std::string ring_of(const host::LinkHardware& link) {
  if (!link.receive_ring) return {};
  return fmt::format("{} of {}", link.receive_ring->size, link.receive_ring->max);
}

/// What is told of each link of the card, and never a fault.
struct ToldRow {
  std::string_view row;
  std::string (*of)(const host::LinkHardware& link);  ///< empty: its driver does not say
  std::string_view note;
};

constexpr std::array kToldRows{
    ToldRow{"fec", fec_of, ""},
    ToldRow{"cable type", cable_type_of, ""},
    ToldRow{"rings", ring_of,
            ", descriptors of a receive queue: of the kernel's sockets alone, since RDMA has "
            "queues of its own"},
};

/// "RS on enp1s0f1np1, enP2p1s0f1np1"; empty: no driver says so.
std::string told_text(const ToldRow& row, const host::HardwareFacts& facts) {
  std::map<std::string, std::vector<std::string>> values;
  for (const auto& link : facts.links) {
    const auto value = host::is_connectx(link) ? row.of(link) : std::string();
    if (!value.empty()) values[value].push_back(link.link);
  }
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const auto& [value, links] : values) {
    texts.push_back(fmt::format("{} on {}", value, fmt::join(links, ", ")));
  }
  return texts.empty() ? std::string() : fmt::format("{}{}", fmt::join(texts, "; "), row.note);
}

void add_counters(const host::HardwareFacts& facts,
                  const std::vector<host::HardwareSign>& of_daemon, Findings& findings) {
  constexpr std::array kGrowing{signs::kErrors, signs::kPause, signs::kAer};
  bool grows = false;
  for (const auto& fault : of_daemon) {
    if (std::ranges::find(kGrowing, fault.name) == kGrowing.end()) continue;
    findings.push_back({"counters", Severity::kLook,
                        fmt::format("{}: {}", fault.subject, fault.what), fault.remedy});
    grows = true;
  }
  if (grows) return;
  std::vector<std::string> counted;
  bool has_counters = false;
  std::set<std::string> functions;
  for (const auto& link : facts.links) {
    if (!host::is_connectx(link)) continue;
    for (const auto& counter : host::kErrorCounters) {
      const auto found = link.statistics.find(std::string(counter.name));
      if (found == link.statistics.end()) continue;
      has_counters = true;
      if (found->second > 0) {
        counted.push_back(fmt::format("{} {} {}", link.link, found->second, counter.words));
      }
    }
    for (const auto& errors : link.pcie_errors) {
      has_counters = true;
      const auto uncorrected = errors.nonfatal + errors.fatal;
      if (uncorrected > 0 && functions.insert(errors.address).second) {
        counted.push_back(
            fmt::format("{} {} uncorrected PCIe errors", errors.address, uncorrected));
      }
    }
  }
  if (!has_counters) {
    findings.push_back(not_applicable("counters", "the card counts no errors for the kernel"));
    return;
  }
  constexpr std::size_t kMostCounted = 6;  // a screen has room for a few
  const auto more = counted.size() - std::min(counted.size(), kMostCounted);
  counted.resize(counted.size() - more);
  findings.push_back(
      {"counters", Severity::kGood,
       counted.empty()
           ? "no error was counted since the card came"
           : fmt::format("since the card came, and not growing as far as the daemon saw: {}{}",
                         fmt::join(counted, ", "),
                         more == 0 ? "" : fmt::format(" and {} more", more)),
       ""});
}

}  // namespace

Findings findings_of_hardware(const host::HardwareFacts& facts,
                              const std::vector<host::HardwareSign>& of_daemon,
                              const state::KnownReleases& known) {
  const auto all = host::hardware_signs(facts, known.releases);
  const bool has_card = std::ranges::any_of(facts.links, host::is_connectx);
  Findings findings;
  if (!has_card) {
    findings.push_back(not_applicable("card",
                                      "no ConnectX is here, so no PCIe, IOMMU, heat, FEC, time of "
                                      "cabling, counters"));
  }
  for (const auto& row : kSignRows) {
    if (row.is_of_card && !has_card) continue;
    add_row(row, all, findings);
    if (row.sign != signs::kModule) continue;
    for (const auto& told : kToldRows) {
      if (auto text = told_text(told, facts); !text.empty()) {
        findings.push_back({std::string(told.row), Severity::kGood, std::move(text), ""});
      }
    }
  }
  if (has_card) add_counters(facts, of_daemon, findings);
  if (!known.fault.empty()) {
    findings.push_back({std::string(signs::kKernel), Severity::kLook,
                        fmt::format("what you know of releases is left out: {}", known.fault),
                        "fix the file; docs/explain/hardware.md shows one"});
  }
  return findings;
}

Findings check_hardware(const Command& command) {
  const auto facts = command.host.hardware.look();
  if (!facts) {
    return {{"hardware", Severity::kLook, facts.error().what, "look at `journalctl -k -b`"}};
  }
  const auto here = node_here(command.host).value_or(std::nullopt);
  return findings_of_hardware(*facts,
                              here ? hardware_faults(here->state) : std::vector<HardwareSign>{},
                              state::read_known_releases(command.host.files));
}

}  // namespace spark::cli
