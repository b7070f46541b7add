#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_document.hpp"
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
    return run_verb(follow, machine_, {.json = json, .yes = true, .source_url = kUrl});
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
  const auto printed =
      run_verb(follow, machine_, {.yes = true, .source_url = kUrl, .branch = "no branch"});
  EXPECT_EQ(printed.code, ExitCode::kInvalidFile);
  EXPECT_TRUE(settings_.empty());
}

}  // namespace
}  // namespace spark::cli
