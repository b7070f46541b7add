#pragma once
// The cluster file as the user names it: read once, parsed, its findings shown.

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/input/arguments.hpp"
#include "config/parse/parse.hpp"
#include "host/files.hpp"
#include "protocol/paths.hpp"
#include "state/file_commit.hpp"
#include "state/published_file.hpp"

namespace spark::cli {

struct ClusterFile {
  std::string name;  ///< as messages call it: the path, or "<stdin>"
  std::string text;
  config::Parsed parsed;
  std::optional<state::FileCommit> commit;  ///< empty: it came from no followed repository
  /// This is the file in force, and that one is there instead of it.
  std::optional<state::NewerFile> newer;

  [[nodiscard]] bool valid() const { return !config::has_errors(parsed.diagnostics); }
};

/// Reads the file that `arguments` names, stdin for "-", or the one that this machine follows. Of
/// that, verbs that show how this machine is get the text that a running daemon has in force,
/// where the file is refused or waits: `newer` says so. Verbs that judge or apply a file get it as
/// it is, and so do all where no daemon runs. Reads at most one byte more than the parser accepts;
/// the parser refuses that as SR-SPEC-002. Errors: kNotFound, saying how to name a file; kInvalid
/// when it is not a regular file, or when the verb acts on it and others than root and the user
/// could have written it.
Result<ClusterFile> read_cluster_file(const Arguments& arguments, host::Files& files);

/// The errors of the file, as `validate` shows them; empty: it has none.
std::string error_text(const ClusterFile& file);

/// "spark-reconcile: cluster.yaml:7:5: error: …; it is refused, so this is …": a line that says why
/// `newer` is not what is shown. Empty: it is.
std::string not_in_force_line(const ClusterFile& file);

/// Parses text that came with something else, such as a saved plan.
ClusterFile parse_cluster_text(std::string name, std::string text);

/// What becomes of a file that is read.
enum class FileUse : bool {
  kLook,
  kAct,  ///< root does what the file says, so nobody else may have written it
};

/// Reads any other file that the user named on the command line, whole. Errors: kInvalid as above,
/// and when it has more than `limit` bytes (whole MiB).
Result<std::string> read_named_file(const std::string& path, std::size_t limit, FileUse use);

}  // namespace spark::cli
