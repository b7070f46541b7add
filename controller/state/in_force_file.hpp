#pragma once
// The document of InForce, below /var/lib/spark-reconcile: written before anything follows from it,
// by the process that has the lock of those who change this machine.

#include <map>
#include <optional>
#include <string>

#include "base/moment.hpp"
#include "base/result.hpp"
#include "host/files.hpp"
#include "state/in_force.hpp"

namespace spark::state {

struct InForceFile {
  InForce state;
  std::map<std::string, std::string>
      texts;                           ///< of the good file and the one on trial, by their digests
  std::string document;                ///< as it is on disk; empty: there is none yet
  std::string damage;                  ///< why a file that is there is not used; empty: none is so
  bool is_of_earlier_version = false;  ///< it was read from what 0.2.0 left, and is not written yet

  /// Null: no file is in force.
  [[nodiscard]] const std::string* text() const;
};

/// What is on disk. Where there is no document, or an earlier version (0.2.0) was here after it,
/// what that one left is taken over: its last good file, its bad files, and what held before its
/// trial. Errors: those of the files port.
Result<InForceFile> read_in_force(host::Files& files);
/// What is on disk is `file`.
bool is_as_read(host::Files& files, const InForceFile& file);
/// Somebody removed it since it was read or written.
bool is_removed(host::Files& files, const InForceFile& file);

/// Lets `event` happen: writes what becomes of it, and the last good file as 0.2.0 looks for it,
/// and returns what is to be done. `text`: of the file that the event names, where it names one.
/// Writes nothing where nothing changes. Errors: those of the files port; `file` is then as before.
Result<Effect> tell_in_force(host::Files& files, InForceFile& file, const InForceEvent& event,
                             const std::string& text = {});

/// The same where that changes nothing on disk, without a write. Empty: it would, and nothing has
/// happened.
std::optional<Effect> tell_unwritten(InForceFile& file, const InForceEvent& event);

/// The same for a process that does not keep it.
Result<Effect> tell_in_force(host::Files& files, const InForceEvent& event,
                             const std::string& text = {});

/// The file with that digest was rolled back by hand, or since nobody confirmed it. `by`: who
/// applied it.
BadFile rolled_back(const std::string& digest, const std::string& by, const Moment& now);

/// Where somebody removed it. Errors: those of the files port.
Result<> write_again(host::Files& files, const InForceFile& file);

}  // namespace spark::state
