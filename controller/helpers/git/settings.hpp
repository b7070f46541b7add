#pragma once
// The settings of both programs: the `source:` section of agent.yaml.

#include <cstdint>
#include <string>
#include <vector>

#include "config/source.hpp"
#include "helpers/git/fault.hpp"

namespace spark::helpers {

/// `may_lack_host_key`: as of an ssh:// URL whose server is asked for its key. Errors: kSettings,
/// also where others than root could have written the file.
OrFault<config::SourceSpec> read_settings(const std::string& path, bool may_lack_host_key = false);

// How git is called: the programs, and an environment in which nothing of this machine or of a
// repository changes what it does.

/// No process of git gets more: an object that would unpack into more ends it.
inline constexpr std::uint64_t kMostMemory = std::uint64_t{512} * 1024 * 1024;

/// git with these words.
inline std::vector<std::string> git_words(std::vector<std::string> words) {
  words.insert(words.begin(), "/usr/bin/git");
  return words;
}

/// For every call. `config`: a file that stands for the user's; "/dev/null": none.
inline std::vector<std::string> git_environment(const std::string& config) {
  return {"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent",
          "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + config, "GIT_ATTR_NOSYSTEM=1",
          "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=/bin/false", "SSH_ASKPASS=/bin/false",
          "GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
          // Of git 3, which has other defaults: repository_refs() reads files.
          "GIT_DEFAULT_HASH=sha1", "GIT_DEFAULT_REF_FORMAT=files"};
}

}  // namespace spark::helpers
