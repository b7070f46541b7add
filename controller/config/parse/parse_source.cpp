#include "config/parse/parse_source.hpp"

#include <array>
#include <chrono>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/yaml/read_forms.hpp"

namespace spark::config {
namespace {

constexpr std::chrono::seconds kLeastInterval{5};
constexpr std::chrono::hours kLongestTime{24};

constexpr std::array kVerifyWords{
    std::pair{std::string_view("head"), Verify::kHead},
    std::pair{std::string_view("range"), Verify::kRange},
    std::pair{std::string_view("tag"), Verify::kTag},
    std::pair{std::string_view("none"), Verify::kNone},
};

constexpr std::array kSourceKeys{
    required(key<&SourceSpec::url, text<kGitUrl>>("url"), "url: https://git.example.org/lab.git"),
    key<&SourceSpec::branch, text<kGitBranch>>("branch"),
    key<&SourceSpec::path, text<kPathInTree>>("path"),
    key<&SourceSpec::verify, word<kVerifyWords>>("verify"),
    key<&SourceSpec::signers, text<kPath>>("signers"),
    key<&SourceSpec::revoked, text<kPath>>("revoked"),
    key<&SourceSpec::tag, text<kTagPattern>>("tag"),
    key<&SourceSpec::from, text<kGitCommit>>("from"),
    key<&SourceSpec::host_keys, list_of<text<kSshKey>>>("host_keys"),
    key<&SourceSpec::ca, text<kPath>>("ca"),
    key<&SourceSpec::proxy, text<kHttpUrl>>("proxy"),
    key<&SourceSpec::every, duration>("every"),
    key<&SourceSpec::settle, duration>("settle"),
};

}  // namespace

void read_source(Findings& findings, const Value& value, std::optional<SourceSpec>& source) {
  source.emplace();
  read_map(findings, value, *source, kSourceKeys);
}

void check_source(const SourceSpec& source, Findings& findings) {
  const auto is_between = [&](std::string_view key, const At<std::chrono::milliseconds>& time,
                              std::chrono::milliseconds least, std::string_view range) {
    if (time.value >= least && time.value <= kLongestTime) return;
    findings.add(SpecId::kSourceTimes, time.where,
                 fmt::format("'{}' is {}", key, time.value < least ? "too short" : "too long"),
                 fmt::format("write {}", range));
  };
  is_between("every", source.every, kLeastInterval,
             "5s to 24h: a server refuses a machine that asks all the time");
  is_between("settle", source.settle, std::chrono::milliseconds(0),
             "24h at most: so long the file before stays the last good one");
  if (source.url.value.empty()) return;  // refused already
  const auto lacks = [&](std::string_view what, std::string_view fix) {
    findings.add(SpecId::kSourceIncomplete, source.url.where, std::string(what), std::string(fix));
  };
  if (source.verify.value != Verify::kNone && !source.signers) {
    lacks("nobody is said to be trusted: 'signers' is missing",
          "write signers: /etc/spark-reconcile/signers, a file of the keys whose commits count "
          "(docs/howto/git.md); or verify: none, and everybody who can push rules this machine");
  }
  if (source.url.value.starts_with("ssh://") && source.host_keys.empty()) {
    lacks("the server's key is not known: 'host_keys' is missing",
          "`spark-reconcile follow` shows the server's key and writes it here");
  }
}

}  // namespace spark::config
