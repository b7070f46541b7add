#pragma once
// The journal: written before the first change of a transaction, removed after the last. A process
// that finds a journal knows that an apply was interrupted or waits for its confirmation, what that
// apply changes, and how to roll it back.

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/moment.hpp"
#include "base/result.hpp"
#include "host/host.hpp"
#include "plan/plan.hpp"
#include "state/file_commit.hpp"
#include "state/snapshot_diff.hpp"

namespace spark::state {

/// Who asks for a transaction, and with which file.
struct ApplyRequest {
  std::string file;  ///< the cluster file, as messages call it
  std::string text;  ///< all of it
  std::string by;    ///< user
  /// Everything is rolled back unless somebody confirms within this time.
  std::optional<std::chrono::milliseconds> confirm_within;
  /// Digest of the file that this one replaces for good; empty: none. The journal does not keep it:
  /// the process that resumes an interrupted return to an earlier file decides again.
  std::string rolls_back;
  /// The file is on trial for so long; empty: it needs no trial. The journal does not keep it.
  std::optional<std::chrono::milliseconds> settle;
  /// The offer whose trial that is, as of Trial; else empty. The journal does not keep it.
  std::string offer;
  /// Where the file came from a followed repository; else empty.
  std::optional<FileCommit> commit;
  /// `--change-id`; empty: none was given.
  std::string change_id;
};

struct Journal {
  std::string id;  ///< of the transaction, unique on this machine
  std::string node;
  std::string digest;   ///< of the file
  std::string boot_id;  ///< of the boot in which it began
  ApplyRequest request;
  Moment began;           ///< its boot clock counts only in that boot
  bool released = false;  ///< a release: everything is restored, whatever the file says
  bool applied = false;   ///< every step was made and read back: only the confirmation is missing
  std::vector<plan::Step> steps;  ///< with both values, so that they can be rolled back
  kinds::Ledger before;
  kinds::Ledger after;
  /// The kernel's tables for the links of `steps`, from before the first step: the kernel removes
  /// addresses and routes of others along with ours. Empty for a correction, which has no time to
  /// read them.
  Tables tables;
  /// The journal of an apply of another file, or of a release, that was interrupted before this one
  /// began. A rollback of this one alone would leave that one half done. At most one.
  std::vector<Journal> over;

  /// The ledger while the journal is open: all that may be ours. An entry stays until its resource
  /// is restored.
  [[nodiscard]] kinds::Ledger known() const;
  /// How long the transaction may still be confirmed; zero: too late, or it began in another boot.
  [[nodiscard]] std::chrono::milliseconds left(const Moment& now, const std::string& boot) const;
};

/// The two places of a journal: below /run when a reboot rolls all its changes back by itself, else
/// below /var.
std::array<std::string, 2> journal_paths(const std::string& node);

/// Errors: kInvalid when `text` is not what `write_journal` writes; `path` is for the message.
Result<Journal> parse_journal(const std::string& path, const std::string& text);

/// Empty: there is no journal. Errors: kInvalid when it is damaged or of a newer version; it is
/// never thrown away.
Result<std::optional<Journal>> read_journal(host::View& view, const std::string& node);

/// The ledger of `node`. After an interrupted apply (its journal is still there) this is the ledger
/// that the apply was about to write, so that no original value is forgotten.
/// Errors: those of read_journal and read_ledger.
Result<kinds::Ledger> known_ledger(host::View& view, const std::string& node);

/// The path and text of the journal of `node`; empty: there is none.
Result<std::optional<std::pair<std::string, std::string>>> find_journal(host::View& view,
                                                                        const std::string& node);

/// A new id for a transaction that begins at `began` in this process.
std::string new_id(const Moment& began);

/// A journal of the plan, beginning now.
Journal begin_journal(host::Host& host, const plan::Plan& plan, const kinds::Ledger& before,
                      ApplyRequest request);

/// `journal` of an apply that resumes `interrupted`, an apply of the same file. A rollback of the
/// result restores the state from before `interrupted`.
Journal resuming(const Journal& interrupted, Journal journal);

/// `journal` of an apply of another file, or of a release, that begins where `interrupted` ended.
/// Errors: kBusy when too many were interrupted, one after the other.
Result<Journal> beginning_after(Journal interrupted, Journal journal);

/// Writes the journal, with one fsync; without one when a reboot rolls all its changes back by
/// itself. Then removes the journal at `replaced`, unless that is the same path.
Result<> write_journal(host::Files& files, const Journal& journal,
                       const std::string& replaced = {});
/// Which of the two places of `journal_paths` the journal has.
std::string path_of(const Journal& journal);

/// The journal of an apply that was interrupted before a plan for `node` was made from `before`.
/// Empty also when the journal cannot be read: no plan was made then.
std::optional<Journal> interrupted_before(host::View& before, const std::string& node);
/// Whether an apply of this plan resumes `interrupted`: both are of the same file, and both or
/// neither is a release.
bool resumes(const Journal& interrupted, const config::Node& node, const plan::Plan& plan);

/// Removes the temporary files that killed writers left beside our own files and those of `view`.
void discard_unfinished(host::Files& files, const std::string& node, const host::View& view);

/// Cleans up what a killed apply, its killed rollback and the applies in `over` left beside the
/// resources of their steps. Does nothing for an apply of an earlier boot, nor for what is
/// `remembered` from now on.
Result<> clean_up_after(host::Host& host, const Journal& interrupted,
                        const kinds::Ledger& remembered);

Result<> remove_journal(host::Files& files, const std::string& node);

/// Removes the journal of a transaction that was rolled back or changed nothing. `interrupted`, the
/// journal that was open before it, is open again; without it, no journal is left.
Result<> remove_journal(host::Files& files, const std::string& node,
                        const std::optional<Journal>& interrupted);

/// The id of this boot (random(4)); empty: it cannot be read.
std::string boot_id(host::Host& host);

}  // namespace spark::state
