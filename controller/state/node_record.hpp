#pragma once
// The record of a node's state: which machine it belongs to. A machine that has been a node stays
// that node when its host name changes. A copied disk makes no second machine that node.

#include <string>

#include "base/result.hpp"
#include "host/host.hpp"
#include "host/view.hpp"

namespace spark::state {

/// The end of the record's path.
inline constexpr const char* kRecordName = "/machine.json";

/// Errors: kInvalid when another machine wrote the state of `node` that lies here; the message says
/// what to do. State without a record is this machine's.
Result<> check_owner(host::View& view, const std::string& node);
/// The same check, for callers without a view.
bool is_of_another_machine(host::Files& files, const std::string& node);

/// The node that this machine was last; empty: none, or it is not known. State without a record
/// counts where it is the only one.
std::string remembered_node(host::View& view);

/// Records that this machine is `node` now. Writes nothing when the record says so already.
Result<> remember_node(host::Host& host, const std::string& node);

}  // namespace spark::state
