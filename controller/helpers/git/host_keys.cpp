#include "helpers/git/host_keys.hpp"

#include <array>
#include <chrono>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/yaml/read_forms.hpp"
#include "helpers/git/settings.hpp"
#include "host/process/child.hpp"

namespace spark::helpers {
namespace {

/// ssh-keyscan asks once for each sort of key, ten seconds at most.
constexpr std::chrono::seconds kScanTime{40};

struct SshServer {
  std::string host;
  std::string port = "22";
};

/// Of "ssh://user@host:port/path", whose form the language has seen to.
SshServer server_of(std::string_view url) {
  url.remove_prefix(std::string_view("ssh://").size());
  auto name = url.substr(0, url.find('/'));
  if (const auto at = name.find('@'); at != std::string_view::npos) name.remove_prefix(at + 1);
  SshServer server;
  const auto colon = name.rfind(':');
  if (colon != std::string_view::npos && name.back() != ']') {
    server.port = name.substr(colon + 1);
    name = name.substr(0, colon);
  }
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  server.host = name;
  return server;
}

}  // namespace

std::vector<std::string> host_keys_in(std::string_view printed) {
  constexpr std::array<std::string_view, 3> kSorts{"ssh-ed25519 ", "ecdsa-sha2-", "ssh-rsa "};
  std::vector<std::string> keys;
  for (const auto sort : kSorts) {
    for (auto line : lines_of(printed)) {
      const auto blank = line.find(' ');  // behind the name of the server
      if (line.starts_with('#') || blank == std::string_view::npos) continue;
      line.remove_prefix(blank + 1);
      if (!line.starts_with(sort) || !config::kSshKey.matches(line)) continue;
      keys.emplace_back(line);
      break;
    }
  }
  return keys;
}

OrFault<std::vector<std::string>> ask_for_host_keys(const std::string& url) {
  const auto [host, port] = server_of(url);
  const auto output = host::run_child(
      {"/usr/bin/ssh-keyscan", "-T", "10", "-p", port, "-t", "ed25519,ecdsa,rsa", "--", host},
      kScanTime,
      {.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent"},
       .most_memory = kMostMemory});
  if (!output && output.error().code == ErrorCode::kTimeout) {
    return found(GitId::kTooSlow, fmt::format("{} did not show its key within {} s", in_quotes(url),
                                              kScanTime.count()));
  }
  if (!output) return found(GitId::kUnreachable, output.error());
  auto keys = host_keys_in(output->out);
  if (keys.empty()) {
    return found(GitId::kUnreachable,
                 fmt::format("no server of ssh shows a key at port {} of {}: {}", port,
                             in_quotes(host), fold_blanks(printable(output->err, 300))));
  }
  return keys;
}

}  // namespace spark::helpers
