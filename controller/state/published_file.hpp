#pragma once
// PublishedFile: what the daemon of this machine tells all of the cluster file that it has in
// force, and of a newer text that is not: the one answer for all who ask beside a running daemon.

#include <optional>
#include <string>

#include "base/fields.hpp"
#include "base/result.hpp"
#include "host/files.hpp"
#include "state/file_commit.hpp"

namespace spark::state {

/// A text that is where the file in force came from, and is not in force.
struct NewerFile {
  std::string file;         ///< its path
  std::string digest;       ///< SHA-256; empty: there is no such file, or it cannot be read
  bool is_refused = false;  ///< false: it waits, as for its turn in a roll-out
  std::string why;          ///< on one line; of an error in the file, with file, line and column
  std::string commit;       ///< 40 hexadecimal digits; empty: it came from no repository
  bool operator==(const NewerFile&) const = default;
};

template <EitherConst<NewerFile> T, class Visit>
void each_field(T& newer, Visit visit) {
  visit("file", newer.file);
  visit("digest", unless_empty(newer.digest));
  visit("is_refused", newer.is_refused);
  visit("why", newer.why);
  visit("commit", unless_empty(newer.commit));
}

struct PublishedFile {
  std::string file;  ///< path that it was read from; what is there now may be another text
  std::string text;
  std::optional<FileCommit> commit;  ///< empty: it came from no followed repository
  std::optional<NewerFile> newer;
  bool operator==(const PublishedFile&) const = default;
};

template <EitherConst<PublishedFile> T, class Visit>
void each_field(T& published, Visit visit) {
  visit("file", published.file);
  visit("text", published.text);
  visit("commit", unless_empty(published.commit));
  visit("newer", unless_empty(published.newer));
}

/// For the daemon. Writes nothing where it says the same already; empty: nothing is in force.
/// Errors: those of the files port.
Result<> write_published_file(host::Files& files, const std::optional<PublishedFile>& published);

/// What the daemon below `root` has in force. Empty: none runs, it has not looked yet, or it has
/// none. Errors: also kInvalid where a daemon of another version wrote it.
Result<std::optional<PublishedFile>> read_published_file(host::Files& files,
                                                         const std::string& root);

}  // namespace spark::state
