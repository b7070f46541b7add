// spark-git-fetch: fetches the followed repository and writes down what it has, for
// spark-git-judge. It runs as a user of its own, with network, and writes below its own directory
// alone. What it writes proves nothing.
//
//   spark-git-fetch [--or-host-keys] SETTINGS OWN SCRATCH
//
// SETTINGS: agent.yaml; OWN: `repository` and offer.json; SCRATCH: a directory that may be emptied.
// --or-host-keys: of an ssh:// URL without a pinned key, asks the server for its keys instead.
// The deploy key is the credential `deploy-key` of systemd.exec(5). An unchanged repository changes
// no file in OWN. Started by git in place of ssh, it becomes ssh with the settings that count here.

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_code.hpp"
#include "base/json_document.hpp"
#include "helpers/git/fetch.hpp"
#include "helpers/git/settings.hpp"
#include "host/process/file_io.hpp"
#include "host/process/trusted_file.hpp"
#include "protocol/source.hpp"

namespace {

using namespace spark::helpers;
using spark::ExitCode;
using spark::protocol::Offer;

/// One file: more than any repository of settings has. The unit limits memory.
constexpr rlim_t kLargestPack = rlim_t{256} * 1024 * 1024;

void say(const std::string& text) { std::fputs((text + "\n").c_str(), stderr); }

/// Replaces this process. `words`: as git gives them to ssh.
int become_ssh(const std::string& scratch, const std::vector<std::string>& words) {
  std::vector<std::string> all{"/usr/bin/ssh", "-F", "none"};
  for (const std::string& option :
       {std::string("BatchMode=yes"), std::string("StrictHostKeyChecking=yes"),
        std::string("HostKeyAlias=source"), "UserKnownHostsFile=" + scratch + "/known_hosts",
        std::string("GlobalKnownHostsFile=/dev/null"), std::string("IdentitiesOnly=yes"),
        std::string("IdentityAgent=none"), "IdentityFile=" + scratch + "/key",
        std::string("UpdateHostKeys=no"), std::string("ForwardAgent=no"),
        std::string("ConnectTimeout=20"), std::string("ServerAliveInterval=15"),
        std::string("ServerAliveCountMax=2"), std::string("LogLevel=ERROR")}) {
    all.insert(all.end(), {"-o", option});
  }
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  argv.reserve(all.size() + 1);
  for (auto& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> variables{"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent"};
  if (const char* protocol = std::getenv("GIT_PROTOCOL")) {
    variables.push_back(fmt::format("GIT_PROTOCOL={}", protocol));
  }
  std::vector<char*> environment;
  environment.reserve(variables.size() + 1);
  for (auto& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  execve("/usr/bin/ssh", argv.data(), environment.data());
  std::perror("run '/usr/bin/ssh'");
  return status_of(ExitCode::kError);
}

std::string deploy_key() {
  const char* folder = std::getenv("CREDENTIALS_DIRECTORY");
  if (folder == nullptr) return {};
  auto key = spark::host::read_plain(fmt::format("{}/deploy-key", folder),
                                     spark::protocol::kMostRecordBytes);
  // The unit's default where there is none is a blank line.
  if (!key || !*key || (*key)->find("PRIVATE KEY") == std::string::npos) return {};
  return std::move(**key);
}

/// When somebody asked for a fetch that is put off; 1970: nobody did since the boot.
WallTime asked_at() {
  struct stat status{};
  if (stat(spark::protocol::kFetchAskedFile, &status) != 0) return {};
  const auto since = std::chrono::seconds(status.st_mtim.tv_sec) +
                     std::chrono::nanoseconds(status.st_mtim.tv_nsec);
  return WallTime(std::chrono::duration_cast<std::chrono::milliseconds>(since));
}

int run(const std::string& settings_file, const FetchPlace& place, bool may_ask_for_keys) {
  const auto record = place.own + spark::protocol::kOfferName;
  const auto text = spark::host::read_plain(record, spark::protocol::kMostRecordBytes)
                        .value_or(std::nullopt)
                        .value_or("");
  const auto former =
      spark::document_from_text<Offer>(spark::protocol::kOfferSchema, text).value_or(Offer{});
  const auto settings = read_settings(settings_file, may_ask_for_keys);
  if (!settings) {
    say(settings.error().what);
    return status_of(ExitCode::kInvalidFile);
  }
  const bool asks_for_keys =
      settings->url.value.starts_with("ssh://") && settings->host_keys.empty();
  // `follow` never waits, nor does it look at what `sync` wrote.
  const auto asked = may_ask_for_keys ? WallTime::max() : asked_at();
  const auto offer =
      asks_for_keys ? offer_host_keys(*settings) : fetch(*settings, place, former, asked);
  if (offer.fault) say(fmt::format("{}: {}", offer.fault->id, offer.fault->what));
  if (offer == former) return status_of(ExitCode::kDone);
  const auto document =
      spark::json_text(spark::document_of(spark::protocol::kOfferSchema, offer), 2) + "\n";
  if (auto written = spark::host::replace_file(record, document); !written) {
    say(written.error().what);
    return status_of(ExitCode::kError);
  }
  return status_of(ExitCode::kDone);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (const char* scratch = std::getenv(kAsSsh)) return become_ssh(scratch, words);
    const bool may_ask_for_keys = !words.empty() && words.front() == "--or-host-keys";
    if (may_ask_for_keys) words.erase(words.begin());
    constexpr std::size_t kWords = 3;
    if (words.size() != kWords) {
      say("usage: spark-git-fetch [--or-host-keys] SETTINGS OWN SCRATCH");
      return status_of(ExitCode::kUsage);
    }
    umask(022);
    const rlimit largest{.rlim_cur = kLargestPack, .rlim_max = kLargestPack};
    static_cast<void>(setrlimit(RLIMIT_FSIZE, &largest));  // it only ever goes down
    // Handed down: a git that may not write more says so, and does not only die.
    static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
    return run(words[0],
               {.own = words[1],
                .scratch = words[2],
                .key = deploy_key(),
                .program = spark::host::link_target("/proc/self/exe")},
               may_ask_for_keys);
  } catch (const std::exception& error) {
    say(error.what());
    return status_of(ExitCode::kError);
  }
}
