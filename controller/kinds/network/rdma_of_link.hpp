#pragma once
// The RDMA port of a link, and why there is none or it cannot be read.

#include <optional>
#include <string>

#include "host/view.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// Where RDMA of a link is: either both pointers are set, into the view, or `why_not` is.
struct RdmaOfLink {
  const host::LinkInfo* link = nullptr;
  const host::RdmaPort* port = nullptr;
  std::optional<Skipped> why_not;
};

RdmaOfLink rdma_of_link(host::View& view, const std::string& link);

/// What cannot be found waits, because its device or module is about to come or has just gone
/// (SR-ROCE-003); any other error makes it unknown.
Skipped waits_or_unreadable(const Error& error);

}  // namespace spark::kinds
