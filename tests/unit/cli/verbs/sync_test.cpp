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

constexpr const char* kRepository = "https://git.example.org/lab.git";

/// The judging unit accepts a commit with that file.
class Sync : public testing::Test {
 protected:
  Printed sync_of(const std::string& text, bool json = false) {
    machine_.files().put(state::kAgentFile,
                         fmt::format("source:\n  url: {}\n  verify: none\n", kRepository));
    machine_.bus().on_start(state::kJudgeUnit, [this, text](const std::string& /*unit*/) {
      protocol::Judgement judgement{
          .url = kRepository, .branch = "main", .path = "cluster.yaml", .from = {}};
      judgement.accepted = protocol::AcceptedCommit{.commit = std::string(40, 'b'),
                                                    .digest = sha256_of(text),
                                                    .subject = "mtu",
                                                    .principal = "alice@lab",
                                                    .at = "2026-01-31T09:30:00Z"};
      machine_.files().put(protocol::kFollowedFile, text);
      machine_.files().put(protocol::kJudgementFile,
                           json_text(document_of(protocol::kJudgementSchema, judgement)));
      return Result<>{};
    });
    return run_verb("sync", machine_, {.json = json});
  }

  test::FakeHost machine_;
};

TEST_F(Sync, ASignedCommitWhoseFileHasErrorsIsNoSuccess) {
  const auto printed = sync_of("version: 1\ncluster: lab\nnodez: {}\n");
  EXPECT_EQ(printed.code, ExitCode::kInvalidFile);
  EXPECT_THAT(printed.err, AllOf(HasSubstr("accepted: bbbbbbbbbbbb"),
                                 HasSubstr("commit bbbbbbbbbbbb, cluster.yaml:3:1: error:"),
                                 HasSubstr("is refused; what was in force stays")));
}

TEST_F(Sync, NamesTheErrorsOfTheAcceptedFileInJson) {
  const auto document = parse_json(sync_of("version: 1\ncluster: lab\nnodez: {}\n", true).out);
  ASSERT_TRUE(document);
  EXPECT_EQ((*document)["exit_code"], 5);
  EXPECT_THAT((*document)["findings"].dump(), HasSubstr("unknown key 'nodez'"));
}

TEST_F(Sync, EndsTheWaitOfAFetchThatIsPutOff) {
  constexpr const char* kText = "version: 1\ncluster: lab\nnodes: { spark1: { number: 1 } }\n";
  sync_of(kText);
  EXPECT_FALSE(machine_.files().read(protocol::kFetchAskedFile).value()) << "nothing waits";
  protocol::Offer offer{.url = kRepository, .branch = "main"};
  offer.fault = protocol::SourceFault{.id = "SR-GIT-006", .what = "too large"};
  offer.retry = protocol::FetchRetry{.references = "some"};
  machine_.files().put(std::string(protocol::kFetchDirectory) + protocol::kOfferName,
                       json_text(document_of(protocol::kOfferSchema, offer)));
  sync_of(kText);
  EXPECT_TRUE(machine_.files().read(protocol::kFetchAskedFile).value());
}

TEST_F(Sync, AGoodCommitIsAccepted) {
  EXPECT_EQ(sync_of("version: 1\ncluster: lab\nnodes: { spark1: { number: 1 } }\n").code,
            ExitCode::kDone);
}

}  // namespace
}  // namespace spark::cli
