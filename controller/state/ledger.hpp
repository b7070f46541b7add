#pragma once
// The ledger on disk: what was ours and what was there before, kept across restarts.

#include <string>

#include "base/result.hpp"
#include "host/host.hpp"
#include "host/view.hpp"
#include "kinds/common/kind.hpp"

namespace spark::state {

/// The directory that holds everything this program remembers of `node`.
std::string state_directory(const std::string& node);
std::string ledger_path(const std::string& node);

/// Reads the ledger of `node`; an absent one is empty. While a journal is open, `known_ledger`
/// (state/journal.hpp) knows more. Errors: kInvalid when the file is damaged or of a newer version:
/// it is never thrown away.
Result<kinds::Ledger> read_ledger(host::View& view, const std::string& node);

/// Writes the ledger as it was before; an empty one leaves no file. Errors: those of the files
/// port.
Result<> restore_ledger(host::Files& files, const std::string& node, const kinds::Ledger& ledger);
/// The ledger is on disk when this returns. Errors: those of the files port.
Result<> write_ledger(host::Files& files, const std::string& node, const kinds::Ledger& ledger);

/// Ends a release without an apply: the daemon sets the node up again. Call it only under the lock,
/// while no journal is open. Errors: those of reading and writing the ledger.
Result<> end_release(host::Host& host, const std::string& node);

/// Both ledgers, without losing an entry: entries of `newer` win, originals of `older` stay.
kinds::Ledger merged(const kinds::Ledger& older, const kinds::Ledger& newer);

/// The same ledger with today's names, for one that a build before 0.2 wrote.
kinds::Ledger with_todays_names(const kinds::Ledger& ledger);

}  // namespace spark::state
