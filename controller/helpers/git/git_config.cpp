#include "helpers/git/git_config.hpp"

#include <string_view>

#include <fmt/format.h>

namespace spark::helpers {

std::string git_config(const config::SourceSpec& settings) {
  std::string text =
      "[core]\n"
      "  hooksPath = /dev/null\n"
      "  fsmonitor = false\n"
      "  symlinks = false\n"
      "  bigFileThreshold = 1m\n"  // larger ones are hashed as they come, and take no memory
      "[protocol]\n"
      "  allow = never\n"
      "[protocol \"https\"]\n"
      "  allow = always\n"
      "[protocol \"ssh\"]\n"
      "  allow = always\n"
      "[protocol \"file\"]\n"
      "  allow = always\n"
      "[http]\n"
      "  followRedirects = false\n"
      "  lowSpeedLimit = 1000\n"
      "  lowSpeedTime = 30\n"
      "[credential]\n"
      "  helper =\n"
      "[transfer]\n"
      "  fsckObjects = true\n"
      "  bundleURI = false\n"
      "[fetch]\n"
      "  unpackLimit = 1\n"
      "  recurseSubmodules = false\n"
      "  writeCommitGraph = false\n"
      "[gc]\n"
      "  auto = 0\n"
      "[maintenance]\n"
      "  auto = false\n"
      "[safe]\n"
      "  directory = *\n"  // file://: the repository is another user's
      "[ssh]\n"
      "  variant = ssh\n"
      "[gpg]\n"
      "  program = /bin/false\n";
  // The other two are off: nothing but what was asked for may carry a fetch.
  const auto& url = settings.url.value;
  for (const std::string_view other : {"https", "ssh", "file"}) {
    if (!url.starts_with(other)) {
      text += fmt::format("[protocol \"{}\"]\n  allow = never\n", other);
    }
  }
  // A form of the language has seen to it that none of the two has a quote or a backslash.
  if (settings.ca) text += fmt::format("[http]\n  sslCAInfo = \"{}\"\n", settings.ca->value);
  if (settings.proxy) text += fmt::format("[http]\n  proxy = \"{}\"\n", settings.proxy->value);
  return text;
}

}  // namespace spark::helpers
