#include "cli/bench/verdict.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/bench/scopes.hpp"
#include "cli/text/layout.hpp"
#include "host/hardware_signs.hpp"

namespace spark::cli {
namespace {

// What owners see, and the ranges that tell one fault from another, in bits a second:
// docs/explain/rails.md, "What bandwidth means what".
constexpr double kFloor = 25 * kBitsOfGigabit;
constexpr double kTrapFrom = 8 * kBitsOfGigabit;
constexpr double kTrapTo = 25 * kBitsOfGigabit;
constexpr double kIommuFrom = 13 * kBitsOfGigabit;
constexpr double kIommuTo = 15 * kBitsOfGigabit;
constexpr double kPcieX2From = 50 * kBitsOfGigabit;
constexpr double kPcieX2To = 60 * kBitsOfGigabit;
/// As much as one rail carries alone, with some room.
constexpr double kHalfOfTheCableTo = 125 * kBitsOfGigabit;
/// One rail with one queue pair is right at 92 of the 117 Gb/s that it could carry.
constexpr double kRightShare = 0.75;

constexpr std::string_view kRight = "right";
constexpr std::string_view kRight100G = "right-100g";
constexpr std::string_view kTwoCablesShare = "two-cables-share";
constexpr std::string_view kPcieX2 = "pcie-x2";
constexpr std::string_view kTrap = "thirteen-gigabit-trap";
constexpr std::string_view kIommu = "iommu";
constexpr std::string_view kHalfOfTheCable = "half-of-the-cable";
constexpr std::string_view kLow = "low";
constexpr std::string_view kBesideJobs = "beside-jobs";
constexpr std::string_view kSpeedUnknown = "speed-unknown";
constexpr std::string_view kEmulated = "emulated";
constexpr std::string_view kNotMeasured = "not-measured";

std::string gigabits(double bits) { return fmt::format("{:.0f} Gb/s", bits / kBitsOfGigabit); }

bool is_between(double bits, double from, double to) { return bits >= from && bits <= to; }

/// What went one way over a scope; 0: not measured.
struct OneWay {
  double write = 0;
  double read = 0;
};

std::vector<OneWay> both_ways(const state::BenchResult& result, const BenchScope& scope) {
  std::vector<OneWay> ways;
  for (const std::string_view direction : {"to", "from"}) {
    ways.push_back({bits_of(find_figure(result, scope.links, "write", direction)),
                    bits_of(find_figure(result, scope.links, "read", direction))});
  }
  return ways;
}

/// Those that were measured.
std::vector<double> numbers_of(const state::BenchResult& result, const BenchScope& scope) {
  std::vector<double> numbers;
  for (const auto& [write, read] : both_ways(result, scope)) {
    if (write > 0) numbers.push_back(write);
    if (read > 0) numbers.push_back(read);
  }
  return numbers;
}

bool is_trapped(const OneWay& way) {
  return is_between(way.write, kTrapFrom, kTrapTo) && is_between(way.read, kTrapFrom, kTrapTo);
}

bool is_translated(const OneWay& way) {
  return is_between(way.read, kIommuFrom, kIommuTo) && way.write > kTrapTo;
}

/// A fault of one scope.
struct ScopeFault {
  std::string_view name;
  std::string subject;  ///< "rail 1", "both rails"
  double bits = 0;      ///< that it carries; 0: nothing of numbers is said
  std::string tail;     ///< ", as much as PCIe with 2 lanes"
  bool is_of_many = false;
};

std::optional<ScopeFault> fault_of_lanes(const BenchScope& scope) {
  const auto lanes = scope.rail == nullptr ? 0 : scope.rail->pcie_lanes;
  if (!host::has_few_lanes(lanes)) return std::nullopt;
  return ScopeFault{
      kPcieX2, scope.name, 0,
      fmt::format(": PCIe with {} instead of {}", counted(lanes, "lane"), host::kPcieLanes)};
}

/// Above this a number needs no explanation. Empty: the speed of a link is not known.
std::optional<double> right_from(const state::BenchResult& result, const BenchScope& scope) {
  const auto ceiling = bench_ceiling(result, scope.links);
  return ceiling ? std::optional(*ceiling * kRightShare) : std::nullopt;
}

std::optional<ScopeFault> fault_of_numbers(const state::BenchResult& result,
                                           const BenchScope& scope) {
  const auto numbers = numbers_of(result, scope);
  if (numbers.empty()) return std::nullopt;
  const auto [worst, best] = std::ranges::minmax(numbers);
  if (worst >= right_from(result, scope).value_or(kFloor)) return std::nullopt;
  const bool is_of_many = scope.rail == nullptr;
  const auto fault = [&](std::string_view name, std::string tail) {
    return ScopeFault{name, scope.name, worst, std::move(tail), is_of_many};
  };
  const auto ways = both_ways(result, scope);
  if (are_all_of_speed(result, k200G) && std::ranges::any_of(ways, is_trapped)) {
    return fault(kTrap, " for WRITE and READ, at a negotiated 200 Gb/s");
  }
  if (std::ranges::any_of(ways, is_translated)) return fault(kIommu, " for READ alone");
  if (!is_of_many && worst >= kPcieX2From && best <= kPcieX2To) {
    return fault(kPcieX2, ", as much as PCIe with 2 lanes");
  }
  const bool is_half = is_of_many && !uses_two_cables(result) && are_all_of_speed(result, k200G) &&
                       is_between(worst, kFloor, kHalfOfTheCableTo);
  if (is_half) return fault(kHalfOfTheCable, ", no more than one rail alone");
  if (worst < kFloor) return fault(kLow, ", less than the floor of " + gigabits(kFloor));
  return fault(kLow, " of " + gigabits(*bench_ceiling(result, scope.links)));
}

/// Both directions share nothing but the card: owners see 340 of 372 Gb/s.
std::optional<ScopeFault> fault_of_both_directions(const state::BenchResult& result) {
  const auto links = bench_links(result);
  const auto sum = bits_of(find_figure(result, links, "write", "both"));
  const auto ceiling = bench_ceiling(result, links);
  // What two cables carry in both directions at once nobody has reported.
  if (sum == 0 || !ceiling || uses_two_cables(result) || sum >= 2 * *ceiling * kRightShare) {
    return std::nullopt;
  }
  return ScopeFault{kLow, "both directions at once", sum, " of " + gigabits(2 * *ceiling), true};
}

/// A slow rail explains what all of them carry: that is judged only where each is right alone.
std::vector<ScopeFault> find_faults(const state::BenchResult& result) {
  std::vector<ScopeFault> faults;
  for (const auto& scope : bench_scopes(result)) {
    if (scope.rail == nullptr && !faults.empty()) break;
    auto fault = fault_of_lanes(scope);
    if (!fault && result.jobs.empty()) fault = fault_of_numbers(result, scope);
    if (fault) faults.push_back(std::move(*fault));
  }
  if (faults.empty() && result.jobs.empty()) {
    if (auto fault = fault_of_both_directions(result)) faults.push_back(std::move(*fault));
  }
  return faults;
}

/// Beside a job that would be faults without it.
bool has_low_numbers(const state::BenchResult& result) {
  auto alone = result;
  alone.jobs.clear();
  return find_faults(alone).size() > find_faults(result).size();
}

std::string remedy_of_verdict(std::string_view name, const state::BenchResult& result) {
  const auto peer = printable(result.peer);
  const auto link = printable(result.rails.front().link);
  if (name == kPcieX2) {
    return fmt::format(
        "update the firmware of the machine (BIOS before 04/2026); `cat "
        "/sys/class/net/{}/device/current_link_width` says 4 where it is right; look on {} too",
        link, peer);
  }
  if (name == kTrap) {
    return fmt::format(
        "it was cabled since the boot: reboot this node, then {}, and run bench "
        "again",
        peer);
  }
  if (name == kIommu) {
    return fmt::format(
        "the IOMMU translates: take `iommu.passthrough=0` off the kernel's command line and "
        "reboot; `cat /sys/class/net/{}/device/iommu_group/type` says identity where it is right; "
        "look on {} too",
        link, peer);
  }
  if (name == kHalfOfTheCable) {
    return fmt::format(
        "look whether each rail has a subnet of its own, here and on {}: "
        "`spark-reconcile gate`",
        peer);
  }
  return fmt::format(
      "look at `spark-reconcile gate` here and on {}, and run bench again while no "
      "job runs",
      peer);
}

/// "rail 0 and rail 1 carry 13 Gb/s", the worst number of those with the same fault.
std::string text_of_faults(const std::vector<ScopeFault>& faults) {
  std::vector<std::string> subjects;
  double worst = faults.front().bits;
  for (const auto& fault : faults) {
    subjects.push_back(fault.subject);
    worst = std::min(worst, fault.bits);
  }
  if (worst == 0) return listed(subjects) + faults.front().tail;
  const bool is_of_many = faults.size() > 1 || faults.front().is_of_many;
  return fmt::format("{} {} {}{}", listed(subjects), is_of_many ? "carry" : "carries",
                     gigabits(worst), faults.front().tail);
}

/// One verdict for all scopes with the same fault, in the order in which they were found.
std::vector<BenchVerdict> verdicts_of(std::vector<ScopeFault> faults,
                                      const state::BenchResult& result) {
  std::vector<BenchVerdict> verdicts;
  while (!faults.empty()) {
    const auto name = faults.front().name;
    const auto tail = faults.front().tail;
    const auto others = std::ranges::stable_partition(
        faults, [&](const ScopeFault& fault) { return fault.name == name && fault.tail == tail; });
    const auto what = text_of_faults({faults.begin(), others.begin()});
    const auto known = std::ranges::find(verdicts, name, &BenchVerdict::name);
    if (known != verdicts.end()) {
      known->what += "; " + what;
    } else {
      verdicts.push_back({name, false, what, remedy_of_verdict(name, result)});
    }
    faults.erase(faults.begin(), others.begin());
  }
  return verdicts;
}

BenchVerdict right_verdict(const state::BenchResult& result) {
  const auto total = bench_total(result);
  if (!total) return {kRight, true, "what was measured is what such rails carry", ""};
  const auto carried =
      fmt::format("{} over {}", gigabits(*total), bench_scopes(result).back().name);
  if (uses_two_cables(result)) {
    return {kTwoCablesShare, true, carried + ", as it should be: two cables share the PCIe links",
            ""};
  }
  if (are_all_of_speed(result, k100G)) {
    return {kRight100G, true, carried + ", as it should be over a 100G cable or switch port", ""};
  }
  return {kRight, true, carried + ", as it should be", ""};
}

std::size_t count_failed(const state::BenchResult& result) {
  return static_cast<std::size_t>(std::ranges::count_if(
      result.figures, [](const auto& figure) { return bits_of(&figure) == 0; }));
}

BenchVerdict not_measured(const state::BenchResult& result, std::size_t failed) {
  const auto what =
      failed == result.figures.size()
          ? std::string("nothing was measured")
          : fmt::format("missing: {} of {}", failed, counted(result.figures.size(), "number"));
  return {kNotMeasured, false, what,
          fmt::format("look whether `spark-reconcile gate` is ready here and on {}, where the "
                      "daemon has to run, and run bench again",
                      printable(result.peer))};
}

bool is_speed_known(const state::BenchResult& result) {
  return std::ranges::none_of(result.rails, [](const auto& rail) { return rail.speed == 0; });
}

/// Where no fault was found.
BenchVerdict good_verdict(const state::BenchResult& result) {
  if (!is_speed_known(result)) {
    return {kSpeedUnknown, true,
            fmt::format("the speed of a link is not known: no number is below the floor of {}, and "
                        "more is not judged",
                        gigabits(kFloor)),
            ""};
  }
  return right_verdict(result);
}

}  // namespace

const std::vector<std::string_view>& bench_verdict_names() {
  static const std::vector<std::string_view> kNames{
      kRight,          kRight100G, kTwoCablesShare, kPcieX2,       kTrap,     kIommu,
      kHalfOfTheCable, kLow,       kBesideJobs,     kSpeedUnknown, kEmulated, kNotMeasured};
  return kNames;
}

std::vector<BenchVerdict> bench_verdicts(const state::BenchResult& result) {
  const auto failed = count_failed(result);
  if (result.rails.empty() || failed == result.figures.size()) {
    return {not_measured(result, result.figures.size())};
  }
  if (!is_connectx(result)) {
    return {{kEmulated, true,
             "a link is no ConnectX: these numbers say something about the software and nothing "
             "about a ConnectX",
             ""}};
  }
  auto verdicts = verdicts_of(find_faults(result), result);
  if (has_low_numbers(result)) {
    verdicts.push_back({kBesideJobs, true,
                        "jobs ran beside it, so low numbers are no sign of a fault",
                        "run bench again when these jobs have ended"});
  }
  if (failed > 0) verdicts.push_back(not_measured(result, failed));
  if (verdicts.empty()) verdicts.push_back(good_verdict(result));
  return verdicts;
}

}  // namespace spark::cli
