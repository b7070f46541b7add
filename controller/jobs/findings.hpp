#pragma once
// Findings about the rails that jobs use: docs/reference/errors.md, SR-JOB.

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "jobs/job.hpp"
#include "jobs/rail_traffic.hpp"

namespace spark::jobs {

struct Finding {
  std::string id;         ///< "SR-JOB-001"
  bool is_alert = false;  ///< else a note: it may be as it should be
  std::string link;
  std::string what;  ///< a clause
  std::string remedy;
  bool operator==(const Finding&) const = default;
};

template <EitherConst<Finding> T, class Visit>
void each_field(T& finding, Visit visit) {
  visit("id", finding.id);
  visit("alert", finding.is_alert);
  visit("link", finding.link);
  visit("what", finding.what);
  visit("remedy", finding.remedy);
}

/// For how long a rail has been near its limit while its twin had nothing to do, by link.
using OneRailFor = std::map<std::string, std::chrono::milliseconds>;

/// From then on it is no coincidence.
inline constexpr std::chrono::milliseconds kOneRailIsAlert{60'000};

/// `before` and what was measured since for so long. A rail that is not in that state any more is
/// left out.
OneRailFor one_rail_for(const OneRailFor& before, const std::vector<RailTraffic>& rails,
                        const std::vector<Job>& jobs, std::chrono::milliseconds passed);

/// `peers`: the nodes at the other end, by link.
std::vector<Finding> findings(const std::vector<RailTraffic>& rails, const std::vector<Job>& jobs,
                              const OneRailFor& one_rail,
                              const std::map<std::string, std::vector<std::string>>& peers);

}  // namespace spark::jobs
