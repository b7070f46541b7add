#include "jobs/findings.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/duration_text.hpp"
#include "base/text.hpp"
#include "host/hardware.hpp"

namespace spark::jobs {
namespace {

constexpr double kNearItsLimit = 0.6;
constexpr double kNothing = 0.05;
constexpr double kOutOfBalance = 0.5;
constexpr double kBitsOfGigabit = 1e9;

bool has_pairs(const Job& job, const std::string& link) {
  return std::ranges::find(job.rails, link, &JobRail::link) != job.rails.end();
}

bool has_pairs(const std::vector<Job>& jobs, const std::string& link) {
  return std::ranges::any_of(jobs, [&](const Job& job) { return has_pairs(job, link); });
}

/// "vllm (pid 4711) uses", "vllm (pid 4711) and train (pid 4712) use"; of jobs without names "2
/// jobs use".
std::string users_of(const std::vector<Job>& jobs, const std::string& link, std::string_view uses,
                     std::string_view use) {
  std::vector<std::string> names;
  bool have_names = false;
  for (const auto& job : jobs) {
    if (!has_pairs(job, link)) continue;
    names.push_back(name_of(job));
    have_names = have_names || !job.process.name.empty();
  }
  if (names.size() == 1) return fmt::format("{} {}", names.front(), uses);
  return fmt::format("{} {}", have_names ? listed(names) : counted(names.size(), "job"), use);
}

/// The other rail of the cage; null: the look has none.
const RailTraffic* twin_of(const RailTraffic& rail, const std::vector<RailTraffic>& rails) {
  const auto found = std::ranges::find_if(rails, [&](const RailTraffic& other) {
    return rail.rail && other.rail && other.rail->cage == rail.rail->cage &&
           other.rail->rail != rail.rail->rail && other.in_file;
  });
  return found == rails.end() ? nullptr : &*found;
}

/// The share of its limit that it carries, the way that carries more. Empty: not known.
std::optional<double> load_of(const RailTraffic& rail) {
  if (!rail.has_carrier) return 0;  // and a driver says no speed then
  if (!rail.carried || !rail.limit || *rail.limit == 0) return std::nullopt;
  return static_cast<double>(rail.carried->larger()) / static_cast<double>(*rail.limit);
}

bool is_near_its_limit(const RailTraffic& rail) {
  return load_of(rail).value_or(0) > kNearItsLimit;
}

/// A cage of 100G, whose two rails share it: one of them alone fills the cable.
bool fills_the_cable(const RailTraffic& rail) {
  return rail.counts_rdma && rail.limit && *rail.limit < host::kBitsOfPcieX4;
}

/// Nothing is known of the queue pairs of a rail that has a reason why.
bool has_no_pairs(const RailTraffic& rail, const std::vector<Job>& jobs) {
  return rail.unknown.empty() && !has_pairs(jobs, rail.link);
}

bool is_one_of_two(const RailTraffic& rail, const std::vector<RailTraffic>& rails,
                   const std::vector<Job>& jobs) {
  const auto* const twin = twin_of(rail, rails);
  return twin != nullptr && !fills_the_cable(rail) && has_pairs(jobs, rail.link) &&
         is_near_its_limit(rail) &&
         (load_of(*twin).value_or(1) < kNothing || has_no_pairs(*twin, jobs));
}

std::string gigabits(std::uint64_t bits) {
  return fmt::format("{:.1f} Gb/s", static_cast<double>(bits) / kBitsOfGigabit);
}

void add_one_of_two(const RailTraffic& rail, const RailTraffic& twin, const std::vector<Job>& jobs,
                    const OneRailFor& one_rail, std::vector<Finding>& all) {
  const auto since = one_rail.find(rail.link);
  const bool is_busy = since != one_rail.end();
  if (!is_busy && !has_no_pairs(twin, jobs)) return;
  all.push_back(
      {.id = "SR-JOB-001",
       .is_alert = is_busy && since->second >= kOneRailIsAlert,
       .link = rail.link,
       .what = has_no_pairs(twin, jobs)
                   ? fmt::format("{} {}, and no job has a queue pair on {}{}",
                                 users_of(jobs, rail.link, "uses", "use"), name_of(rail),
                                 name_of(twin), twin.has_carrier ? "" : ", which has no carrier")
                   : fmt::format("{} {} near its limit for {}, and {} {}",
                                 users_of(jobs, rail.link, "has", "have"), name_of(rail),
                                 duration_text(since->second), name_of(twin),
                                 twin.has_carrier ? "carries next to nothing" : "has no carrier"),
       .remedy = twin.has_carrier
                     ? "start the job with the variables of both rails: `eval \"$(spark-reconcile "
                       "export --format shell)\"`; a test of one rail is no fault"
                     : "`spark-reconcile gate` says what the other rail lacks"});
}

void add_out_of_balance(const RailTraffic& rail, const RailTraffic& twin,
                        const std::vector<Job>& jobs, std::vector<Finding>& all) {
  const auto load = load_of(rail);
  const auto less = load_of(twin);
  if (!load || !less || *load <= kNearItsLimit || *less < kNothing ||
      *less >= kOutOfBalance * *load || !has_pairs(jobs, rail.link) ||
      !has_pairs(jobs, twin.link)) {
    return;
  }
  all.push_back({.id = "SR-JOB-005",
                 .is_alert = false,
                 .link = twin.link,
                 .what = fmt::format("{} carries {}, and {} {}", name_of(rail),
                                     gigabits(rail.carried->larger()), name_of(twin),
                                     gigabits(twin.carried->larger())),
                 .remedy = "`spark-reconcile bench` measures each rail alone"});
}

void add_not_in_file(const RailTraffic& rail, const std::vector<Job>& jobs,
                     std::vector<Finding>& all) {
  if (rail.in_file || !has_pairs(jobs, rail.link)) return;
  all.push_back({.id = "SR-JOB-002",
                 .is_alert = false,
                 .link = rail.link,
                 .what = fmt::format("{} {}, which the file does not have as a rail",
                                     users_of(jobs, rail.link, "uses", "use"), name_of(rail)),
                 .remedy = "name it in the file, or start the job with the devices that "
                           "`spark-reconcile export` names"});
}

void add_tcp(const RailTraffic& rail, std::vector<Finding>& all) {
  if (!rail.beside_rdma || !rail.carried || !rail.limit) return;
  const auto beside = static_cast<double>(rail.beside_rdma->larger());
  constexpr double kTenth = 0.1;
  const bool is_much = beside > kNothing * static_cast<double>(*rail.limit);
  if (!is_much || static_cast<double>(rail.carried->larger()) > kTenth * beside) return;
  all.push_back(
      {.id = "SR-JOB-003",
       .is_alert = false,
       .link = rail.link,
       .what = fmt::format("{} carries {} without RDMA, and {} with it", name_of(rail),
                           gigabits(rail.beside_rdma->larger()), gigabits(rail.carried->larger())),
       .remedy = "look for NET/Socket in the log that NCCL_DEBUG=INFO makes; NFS and NVMe "
                 "over TCP are no fault"});
}

void add_sent_again(const RailTraffic& rail, const std::vector<Job>& jobs,
                    const std::map<std::string, std::vector<std::string>>& peers,
                    std::vector<Finding>& all) {
  const auto here = rail.sent_again.value_or(0);
  const auto there = rail.out_of_order.value_or(0);
  if ((here <= 0 && there <= 0) || !has_pairs(jobs, rail.link)) return;
  const auto ends = peers.find(rail.link);
  const auto other = ends == peers.end() ? "the other end" : listed(ends->second, "or");
  std::vector<std::string> parts;
  if (here > 0)
    parts.push_back(fmt::format("sends to {} again {:.1f} times a second", other, here));
  if (there > 0) {
    parts.push_back(fmt::format("misses {:.1f} times a second what {} sent", there, other));
  }
  all.push_back({.id = "SR-JOB-004",
                 .is_alert = false,
                 .link = rail.link,
                 .what = fmt::format("{} {}", name_of(rail), listed(parts)),
                 .remedy = "`sudo spark-reconcile doctor` on both ends shows the counters of the "
                           "cable, pause frames and PCIe"});
}

}  // namespace

OneRailFor one_rail_for(const OneRailFor& before, const std::vector<RailTraffic>& rails,
                        const std::vector<Job>& jobs, std::chrono::milliseconds passed) {
  OneRailFor now;
  for (const auto& rail : rails) {
    if (!is_one_of_two(rail, rails, jobs)) continue;
    const auto earlier = before.find(rail.link);
    now[rail.link] =
        passed + (earlier == before.end() ? std::chrono::milliseconds(0) : earlier->second);
  }
  return now;
}

std::vector<Finding> findings(const std::vector<RailTraffic>& rails, const std::vector<Job>& jobs,
                              const OneRailFor& one_rail,
                              const std::map<std::string, std::vector<std::string>>& peers) {
  std::vector<Finding> all;
  for (const auto& rail : rails) {
    add_not_in_file(rail, jobs, all);
    if (const auto* const twin = twin_of(rail, rails);
        twin != nullptr && rail.in_file && !fills_the_cable(rail)) {
      if (has_pairs(jobs, rail.link)) add_one_of_two(rail, *twin, jobs, one_rail, all);
      add_out_of_balance(rail, *twin, jobs, all);
    }
    add_tcp(rail, all);
    add_sent_again(rail, jobs, peers, all);
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Finding::is_alert);
  return all;
}

}  // namespace spark::jobs
