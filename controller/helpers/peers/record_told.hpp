#pragma once
// record_told: what this node recorded, for a peer that asks.

#include <optional>
#include <string>

#include "base/result.hpp"
#include "protocol/node_signs.hpp"
#include "protocol/records.hpp"

namespace spark::helpers {

/// What of the record says something of that window: what began or lasted in it, a fault from
/// before that has not ended, and when it was recorded at all.
protocol::NodeSigns within(protocol::NodeSigns record, const protocol::Span& window);

/// As of now, from the files that the daemon writes into `folder`; without the name of the node.
/// No window: no sign is asked for.
/// Errors: kNotFound: a window is asked about, and no daemon has recorded anything; kInvalid: a
/// file is damaged, or of another version.
Result<protocol::RecordTold> record_told(const std::string& folder,
                                         const std::optional<protocol::Span>& window);

}  // namespace spark::helpers
