#pragma once
// The ledger on disk: what was ours and what was there before, kept across restarts.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "host/host.hpp"
#include "host/view.hpp"
#include "kinds/common/kind.hpp"

namespace spark {

/// The directory that holds everything this program remembers of `node`.
std::string state_directory(const std::string& node);
std::string ledger_path(const std::string& node);

/// Reads the ledger of `node`; an absent one is empty. While a journal is open, `known_ledger`
/// (state/journal.hpp) knows more. Errors: kInvalid when the file is damaged or of a newer version:
/// it is never thrown away.
Result<Ledger> read_ledger(View& view, const std::string& node);

/// Writes the ledger as it was before; an empty one leaves no file. Errors: those of the files
/// port.
Result<> restore_ledger(Files& files, const std::string& node, const Ledger& ledger);
/// The ledger is on disk when this returns. Errors: those of the files port.
Result<> write_ledger(Files& files, const std::string& node, const Ledger& ledger);

/// Ends a release without an apply: the daemon sets the node up again. Call it only under the lock,
/// while no journal is open. Errors: those of reading and writing the ledger.
Result<> end_release(Host& host, const std::string& node);

/// Both ledgers, without losing an entry: entries of `newer` win, originals of `older` stay.
Ledger merged(const Ledger& older, const Ledger& newer);

nlohmann::json to_json(const Ledger& ledger);
/// Empty: it is not what `to_json` writes.
std::optional<Ledger> ledger_from_json(const nlohmann::json& json);

}  // namespace spark
