#pragma once
// The ledger on disk: what was ours and what was there before, kept across restarts.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "host/view.hpp"
#include "kinds/common/kind.hpp"

namespace spark {

/// The directory that holds everything this program remembers of `node`.
std::string state_directory(const std::string& node);
std::string ledger_path(const std::string& node);

/// Reads the ledger of `node`; an absent one is empty. After an apply that was cut off (its
/// journal is still there) this is the ledger which that apply was about to write, so that no
/// original value is forgotten. Errors: kInvalid when the file is not ours to understand: it is
/// never thrown away.
Result<Ledger> read_ledger(View& view, const std::string& node);

/// As it was before: no file where nothing was remembered. Errors: those of the files port.
Result<> restore_ledger(Files& files, const std::string& node, const Ledger& ledger);
/// On disk when it returns. Errors: those of the files port.
Result<> write_ledger(Files& files, const std::string& node, const Ledger& ledger);

/// Both, without a word lost: entries of `newer` win, originals of `older` stay.
Ledger merged(const Ledger& older, const Ledger& newer);

nlohmann::json to_json(const Ledger& ledger);
/// Empty: it is not what `to_json` writes.
std::optional<Ledger> ledger_from_json(const nlohmann::json& json);

}  // namespace spark
