#pragma once
// Followed: what the looks at the rails showed last, without any name of a job.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/moment.hpp"
#include "jobs/findings.hpp"
#include "jobs/rail_traffic.hpp"

namespace spark::jobs {

/// For the page, the metrics, the alerts and what peers are told.
struct Followed {
  Moment at;  ///< of the last look; not set: there was none
  /// Jobs that have queue pairs; empty: none is known of, and of a rail it is not known who has.
  std::optional<std::size_t> running;
  std::vector<RailTraffic> rails;
  std::vector<Finding> findings;
  std::map<std::string, std::uint64_t> octets;  ///< both ways, since the daemon began, by link
};

template <EitherConst<Followed> T, class Visit>
void each_field(T& followed, Visit visit) {
  visit("at", followed.at);
  visit("running", followed.running);
  visit("rails", followed.rails);
  visit("findings", followed.findings);
  visit("octets", followed.octets);
}

/// What peers are told of it: protocol::kRailsFile holds it, with its line feed. For after a look.
std::string rails_text(const Followed& followed);

}  // namespace spark::jobs
