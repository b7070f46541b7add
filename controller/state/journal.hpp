#pragma once
// The journal: there before the first change of a transaction, gone after the last. Whoever finds
// one knows that an apply was cut off or waits for its confirmation, what it changes, and how to
// take that back.

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/moment.hpp"
#include "base/result.hpp"
#include "host/host.hpp"
#include "plan/plan.hpp"
#include "state/snapshot_diff.hpp"

namespace spark {

/// On whose wish a transaction is made.
struct ApplyRequest {
  std::string file;  ///< the cluster file, as messages call it
  std::string text;  ///< all of it
  std::string by;    ///< user
  /// All is taken back unless somebody confirms it within that time.
  std::optional<std::chrono::milliseconds> confirm_within;
  /// Digest of the file that gives way to this one for good; empty: none does. In no journal:
  /// whoever goes on from a cut-off return decides anew.
  std::string takes_back;
};

struct Journal {
  std::string id;  ///< of the transaction, one of its own on this machine
  std::string node;
  std::string digest;   ///< of the file
  std::string boot_id;  ///< of the boot in which it began
  ApplyRequest request;
  Moment began;             ///< its boot time counts in that boot alone
  bool released = false;    ///< it gives everything back, whatever the file says
  bool applied = false;     ///< every step was made and read back: only the confirmation is missing
  std::vector<Step> steps;  ///< with both values: they can be undone
  Ledger before;
  Ledger after;
  /// Of the links of the steps, before the first of them: the kernel takes addresses and routes of
  /// others along. Of a correction, which has no time for them, none.
  Tables tables;
  /// Of an apply of another file, or a release, that was cut off before this one began: to take
  /// this one back is only half of the way to where nothing is half done. One at most.
  std::vector<Journal> over;

  /// What may be ours while it is open: nothing that was is given up before it is given back.
  [[nodiscard]] Ledger known() const;
  /// How long it may still be confirmed; zero: no longer, or it began in another boot.
  [[nodiscard]] std::chrono::milliseconds left(const Moment& now, const std::string& boot) const;
};

/// Where one may be: below /run that of changes which a reboot takes back by itself, and below /var
/// that of all others.
std::array<std::string, 2> journal_paths(const std::string& node);

/// Errors: kInvalid when `text` is not what `write_journal` writes; `path` is for the message.
Result<Journal> parse_journal(const std::string& path, const std::string& text);

/// Empty: there is none. Errors: kInvalid when it is damaged or of a newer version; it is never
/// thrown away.
Result<std::optional<Journal>> read_journal(View& view, const std::string& node);

/// The path and text of one that is there.
Result<std::optional<std::pair<std::string, std::string>>> find_journal(View& view,
                                                                        const std::string& node);

/// Of a transaction that begins then, in this process.
std::string new_id(const Moment& began);

/// A journal of the plan, beginning now.
Journal begin_journal(Host& host, const Plan& plan, const Ledger& before, ApplyRequest request);

/// `journal`, of an apply that goes on from one of the same file that was cut off: to take it back
/// is to be as before the first of them.
Journal going_on_from(const Journal& interrupted, Journal journal);

/// `journal`, of one of another file, or a release, beginning where `cut_off` ends. Errors: kBusy
/// where too many were cut off, one after the other.
Result<Journal> beginning_after(Journal interrupted, Journal journal);

/// One fsync, and it is on disk when this returns; none where a reboot forgets all that it holds.
/// The one that lies at `replaced`, if it is not the same place, is gone then.
Result<> write_journal(Files& files, const Journal& journal, const std::string& replaced = {});
/// Where it lies, of both places.
std::string path_of(const Journal& journal);

/// That of an apply which was cut off before a plan for `node` was made from `before`. One that
/// cannot be read is none here: no plan was made then.
std::optional<Journal> interrupted_before(View& before, const std::string& node);
/// Likewise, where that was of the same file, and gave everything back if this one does.
std::optional<Journal> also_interrupted(View& before, const Node& node, const Plan& plan);

/// Removes what writing our files, and those of a view, left behind where the writer was killed.
void discard_unfinished(Files& files, const std::string& node, const View& view);

/// Takes back what the kill of that apply, of an undo of it and of those before it left beside the
/// resources of its steps. Nothing after a reboot, nor of what is `remembered` from now on.
Result<> clean_up_after(Host& host, const Journal& interrupted, const Ledger& remembered);

Result<> remove_journal(Files& files, const std::string& node);

/// Of a transaction that was undone, or changed nothing: what was open before it, `cut_off`, is
/// open again; where nothing was, no journal is left.
Result<> remove_journal(Files& files, const std::string& node,
                        const std::optional<Journal>& interrupted);

/// Of this boot (random(4)); empty: it cannot be read.
std::string boot_id(Host& host);

}  // namespace spark
