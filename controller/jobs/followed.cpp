#include "jobs/followed.hpp"

#include "base/json_document.hpp"
#include "protocol/records.hpp"

namespace spark::jobs {

std::string rails_text(const Followed& followed) {
  protocol::RailsTold told{.looked = followed.at.wall, .running = followed.running};
  for (const auto& rail : followed.rails) {
    if (told.rails.size() == protocol::kMostRailsTold) break;
    auto& one = told.rails.emplace_back(protocol::RailTold{.link = rail.link,
                                                           .has_carrier = rail.has_carrier,
                                                           .limit = rail.limit,
                                                           .counts_rdma = rail.counts_rdma,
                                                           .sent_again = rail.sent_again});
    if (rail.rail) {
      one.cage = rail.rail->cage;
      one.rail = rail.rail->rail;
    }
    if (rail.carried) {
      one.received = rail.carried->received;
      one.sent = rail.carried->sent;
    }
  }
  return json_text(document_of(protocol::kRailsSchema, told)) + '\n';
}

}  // namespace spark::jobs
