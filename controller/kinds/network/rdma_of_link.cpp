#include "kinds/network/rdma_of_link.hpp"

namespace spark::kinds {

RdmaOfLink rdma_of_link(host::View& view, const std::string& link) {
  RdmaOfLink place{.link = view.link(link)};
  if (place.link == nullptr) {
    place.why_not = waiting_for_link(link);
    return place;
  }
  place.port = view.rdma_port(*place.link);
  if (place.port == nullptr) place.why_not = without_rdma_device(*place.link);
  return place;
}

Skipped waits_or_unreadable(const Error& error) {
  return error.code == ErrorCode::kNotFound
             ? Skipped{Skipped::Why::kWaiting, "SR-ROCE-003", error.what}
             : unreadable(error);
}

}  // namespace spark::kinds
