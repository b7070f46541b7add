#include "helpers/git/git_config.hpp"

#include <string_view>

#include <fmt/format.h>

namespace spark::helpers {

std::string git_config(const config::SourceSpec& settings) {
  // bigFileThreshold: larger ones are hashed as they come, and take no memory. safe.directory: of a
  // file:// URL the repository is another user's.
  std::string text =
      R"([core]
  hooksPath = /dev/null
  fsmonitor = false
  symlinks = false
  bigFileThreshold = 1m
[protocol]
  allow = never
[protocol "https"]
  allow = always
[protocol "ssh"]
  allow = always
[protocol "file"]
  allow = always
[http]
  followRedirects = false
  lowSpeedLimit = 1000
  lowSpeedTime = 30
[credential]
  helper =
[transfer]
  fsckObjects = true
  bundleURI = false
[fetch]
  unpackLimit = 1
  recurseSubmodules = false
  writeCommitGraph = false
[gc]
  auto = 0
[maintenance]
  auto = false
[safe]
  directory = *
[ssh]
  variant = ssh
[gpg]
  program = /bin/false
)";
  // The other two are off: nothing but what was asked for may carry a fetch.
  const auto& url = settings.url.value;
  for (const std::string_view other : {"https", "ssh", "file"}) {
    if (!url.starts_with(other)) text += fmt::format("[protocol \"{}\"]\n  allow = never\n", other);
  }
  // A form of the language has seen to it that none of the two has a quote or a backslash.
  if (settings.ca) text += fmt::format("[http]\n  sslCAInfo = \"{}\"\n", settings.ca->value);
  if (settings.proxy) text += fmt::format("[http]\n  proxy = \"{}\"\n", settings.proxy->value);
  return text;
}

}  // namespace spark::helpers
