#pragma once
// What can stand where the user of a shell types, by the tables of verbs and options. The scripts
// of this folder, which a shell loads, run `spark-reconcile complete -- WORDS...` and show what it
// prints. `complete` is no verb: the help does not list it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/arguments.hpp"
#include "host/host.hpp"

namespace spark::cli {

/// One text that can stand there.
struct Candidate {
  std::string text;
  std::string about;  ///< what it means; empty: it says that itself

  bool operator==(const Candidate&) const = default;
};

/// Whether the shell completes paths of its own there.
enum class Paths : std::uint8_t { kNone, kFiles, kDirectories };

struct Completion {
  std::vector<Candidate> candidates;
  Paths paths = Paths::kNone;
};

/// What a value can be on this machine. Each is asked only where such a value belongs, and gives
/// nothing where it cannot know. `Arguments` has the options that stand before.
struct LiveValues {
  std::function<std::vector<Candidate>(const Arguments&)> nodes;
  std::function<std::vector<Candidate>(const Arguments&)> generations;
  std::function<std::vector<Candidate>(const Arguments&)> words;
  std::function<std::vector<Candidate>(const Arguments&)> alerts;
};

/// The words that `complete --` is given; empty: the command line is another one.
std::optional<std::vector<std::string>> words_to_complete(int argc, const char* const* argv);

/// The options that stand before the last word, as far as they can be known.
Arguments typed_arguments(const std::vector<std::string>& words);

/// What can stand in place of the last of `words`, and begins with it. The words are as they were
/// typed, without the program's name: quotes and backslashes are taken off.
Completion complete(const std::vector<std::string>& words, const LiveValues& live);

/// For the scripts: a line for each candidate, its text and, after a tab, what it means; a line
/// ":files" or ":directories" where the shell adds paths.
std::string lines_for_shell(const Completion& completion);

/// What completion knows of this machine and its files. Reads what an ordinary user may read; what
/// cannot be read gives no candidates. Never reads stdin.
LiveValues live_values(host::Host& host);

}  // namespace spark::cli
