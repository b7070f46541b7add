#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_document.hpp"
#include "base/sha256.hpp"
#include "protocol/source.hpp"
#include "state/source.hpp"
#include "unit/cli/verb_run.hpp"

namespace spark::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kUrl = "ssh://git@git.example.org/lab.git";
constexpr const char* kKey =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE5TfgMYfaLxqMefE/+GXFddGHi56/D9Qj8eBtD43KaZ";
/// As ssh-keygen -l shows it.
constexpr const char* kFingerprint = "SHA256:8qccfDjnvM5Boyo+UL4jm4FMI0lQzY9xSwUHSAnSovc";

class FollowBySsh : public testing::Test {
 protected:
  FollowBySsh() {
    machine_.bus().on_start("spark-reconcile-fetch-check", [this](const std::string& /*unit*/) {
      settings_.push_back(machine_.files().read(state::kCheckSettings).value().value_or(""));
      machine_.files().put(std::string(state::kCheckFetchDirectory) + protocol::kOfferName,
                           json_text(document_of(protocol::kOfferSchema, offer_)));
      return Result<>{};
    });
  }

  Printed follow_it(bool json = false) {
    auto arguments = typed_as({"follow", kUrl, "--yes"});
    arguments.json = json;
    return run_verb("follow", machine_, arguments);
  }

  test::FakeHost machine_;
  protocol::Offer offer_{.url = kUrl, .branch = "main", .host_keys = {kKey}};
  std::vector<std::string> settings_;  ///< of each fetch
};

TEST_F(FollowBySsh, WithoutAPinnedKeyShowsTheOneOfTheServerAndTheLineThatPinsIt) {
  const auto printed = follow_it();
  EXPECT_EQ(printed.code, ExitCode::kRefused) << "--yes is no answer to this question";
  EXPECT_THAT(printed.err, AllOf(HasSubstr(std::string(kFingerprint) + " (ssh-ed25519)"),
                                 HasSubstr("ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub"),
                                 HasSubstr(std::string("--host-key '") + kKey + "'")));
  EXPECT_FALSE(machine_.files().read(state::kAgentFile).value()) << "nothing is written";
  ASSERT_EQ(settings_.size(), 1U);
  EXPECT_THAT(settings_.front(), AllOf(HasSubstr(kUrl), Not(HasSubstr("host_keys"))));
}

TEST_F(FollowBySsh, SaysItWholeInJson) {
  const auto printed = parse_json(follow_it(true).out);
  ASSERT_TRUE(printed);
  EXPECT_EQ((*printed)["host_keys"][0]["key"], kKey);
  EXPECT_EQ((*printed)["host_keys"][0]["fingerprint"], kFingerprint);
}

TEST_F(FollowBySsh, TakesNoKeyThatIsNone) {
  offer_.host_keys = {"ssh-ed25519 \x1b[2J", "AAAA"};
  const auto printed = follow_it();
  EXPECT_EQ(printed.code, ExitCode::kError);
  EXPECT_THAT(printed.err, HasSubstr("the server shows no key"));
}

TEST_F(FollowBySsh, SaysWhyAServerShowsNoKey) {
  offer_.host_keys.clear();
  offer_.fault = protocol::SourceFault{.id = "SR-GIT-001", .what = "no server of ssh shows a key"};
  const auto printed = follow_it();
  EXPECT_EQ(printed.code, ExitCode::kError);
  EXPECT_THAT(printed.err, HasSubstr("no server of ssh shows a key [SR-GIT-001]"));
}

TEST_F(FollowBySsh, AsksNoServerForItsKeyWhereAllElseIsNotRight) {
  const auto printed = run_typed(machine_, {"follow", kUrl, "--yes", "--branch", "no branch"});
  EXPECT_EQ(printed.code, ExitCode::kInvalidFile);
  EXPECT_TRUE(settings_.empty());
}

/// A node that follows already; whatever is fetched is accepted.
class FollowAgain : public testing::Test {
 protected:
  FollowAgain() {
    machine_.files().put(state::kAgentFile, kBefore);
    machine_.bus().on_start("spark-reconcile-judge-check", [this](const std::string& /*unit*/) {
      judged_by_ = machine_.files().read(state::kCheckSettings).value().value_or("");
      protocol::Judgement judgement{.url = kHttps, .branch = "main", .path = "cluster.yaml"};
      judgement.accepted = protocol::AcceptedCommit{.commit = kNew, .digest = sha256_of(kFile)};
      machine_.files().put(state::kCheckFile, kFile);
      machine_.files().put(state::kCheckJudgement,
                           json_text(document_of(protocol::kJudgementSchema, judgement)));
      return Result<>{};
    });
  }

  Printed follow_it(std::vector<std::string> words) {
    words.insert(words.begin(), {"follow", "--yes"});
    return run_typed(machine_, words);
  }

  /// What it left, as --json has it.
  std::string left(std::vector<std::string> words) {
    words.emplace_back("--json");
    const auto document = parse_json(follow_it(std::move(words)).out);
    return document ? document->value("left", nlohmann::json()).dump() : "no JSON";
  }

  std::string settings() { return machine_.files().read(state::kAgentFile).value().value_or(""); }

  static constexpr const char* kHttps = "https://git.example.org/lab.git";
  static constexpr const char* kFile =
      "version: 1\ncluster: lab\nnodes: { spark1: { number: 1 } }\n";
  static inline const std::string kOld{std::string(40, 'a')};
  static inline const std::string kNew{std::string(40, 'b')};
  static inline const std::string kBefore =
      "# ours\n"
      "source:\n"
      "  url: https://git.example.org/lab.git\n"
      "  verify: range\n"
      "  signers: /etc/signers\n"
      "  revoked: /etc/revoked  # since May\n"
      "  tag: \"v*\"\n"
      "  from: \"" +
      kOld +
      "\"\n"
      "  host_keys: [\"ssh-ed25519 AAAA\"]\n"
      "  ca: /etc/ca.pem\n"
      "  proxy: \"http://proxy.example:3128\"\n"
      "  every: 5m\n"
      "  settle: 1m\n"
      "# of the page\n"
      "listen: 127.0.0.1:9842\n";

  test::FakeHost machine_;
  std::string judged_by_;
};

/// `text` with `now` in place of `before`.
std::string with(std::string text, const std::string& before, const std::string& now) {
  text.replace(text.find(before), before.size(), now);
  return text;
}

TEST_F(FollowAgain, KeepsWhatNoOptionReplaces) {
  EXPECT_EQ(follow_it({kHttps}).code, ExitCode::kDone);
  EXPECT_EQ(judged_by_, kBefore);
  EXPECT_EQ(settings(), with(kBefore, kOld, kNew));
}

TEST_F(FollowAgain, ReplacesWhatAnOptionNames) {
  EXPECT_EQ(left({kHttps, "--verify", "head", "--every", "10m"}), "[]");
  EXPECT_EQ(settings(), with(with(with(kBefore, kOld, kNew), "range", "head"), "5m", "600s"));
}

TEST_F(FollowAgain, AnotherBranchBeginsWithoutTheCommitOfTheOneBefore) {
  EXPECT_EQ(left({kHttps, "--branch", "next"}), "[\"from\"]");
  EXPECT_THAT(judged_by_, Not(HasSubstr("from:")));
  EXPECT_THAT(settings(), AllOf(HasSubstr("  from: \"" + kNew + "\"\n"),
                                HasSubstr("  revoked: /etc/revoked  # since May\n"),
                                HasSubstr("  host_keys: [\"ssh-ed25519 AAAA\"]\n")));
}

TEST_F(FollowAgain, AnotherServerBeginsWithoutTheKeysOfTheOneBefore) {
  const auto printed = follow_it({"https://other.example.org/lab.git"});
  EXPECT_THAT(printed.out, HasSubstr("leaves the section: from, host_keys\n"));
  EXPECT_THAT(settings(), AllOf(Not(HasSubstr("host_keys")), HasSubstr("  ca: /etc/ca.pem\n")));
}

TEST_F(FollowAgain, TheSameServerByAnotherSchemeKeepsItsKeys) {
  EXPECT_EQ(left({kUrl}), "[\"from\"]");
  EXPECT_THAT(settings(), HasSubstr("  host_keys: [\"ssh-ed25519 AAAA\"]\n"));
}

TEST_F(FollowAgain, WritesNothingWhereTheSectionHasAnError) {
  const auto text = with(kBefore, "revoked", "revokd");
  machine_.files().put(state::kAgentFile, text);
  const auto printed = follow_it({kHttps});
  EXPECT_EQ(printed.code, ExitCode::kInvalidFile);
  EXPECT_THAT(printed.err, HasSubstr("unknown key 'revokd'"));
  EXPECT_EQ(settings(), text);
}

TEST_F(FollowAgain, AcceptChangesTheLineFromAlone) {
  EXPECT_EQ(follow_it({"--accept", kNew}).code, ExitCode::kDone);
  EXPECT_EQ(settings(), with(kBefore, kOld, kNew));
}

}  // namespace
}  // namespace spark::cli
