#include "state/source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_document.hpp"
#include "fake/fake_files.hpp"

namespace spark::state {
namespace {

using testing::HasSubstr;
using testing::Not;

class SourceRecords : public testing::Test {
 protected:
  static constexpr const char* kOffer = "/var/lib/spark-reconcile-fetch/offer.json";

  void put_all() {
    files_.put(protocol::kJudgementFile,
               json_text(document_of(protocol::kJudgementSchema, protocol::Judgement{})));
    files_.put(kOffer, json_text(document_of(protocol::kOfferSchema, protocol::Offer{})));
    files_.put(protocol::kFollowedFile, "version: 1\n");
  }

  test::FakeWrites writes_;
  test::FakeFiles files_{writes_};
};

TEST_F(SourceRecords, AreTakenFromTheirUsers) {
  EXPECT_EQ(*read_followed(files_), std::nullopt);
  EXPECT_FALSE(*read_judgement(files_));
  EXPECT_FALSE(read_offer(files_));
  put_all();
  files_.give_to(protocol::kJudgementFile, protocol::kJudgeUser);
  files_.give_to(kOffer, protocol::kFetchUser);
  EXPECT_TRUE(*read_judgement(files_));
  EXPECT_TRUE(read_offer(files_));
  EXPECT_EQ(*read_followed(files_), "version: 1\n");
}

TEST_F(SourceRecords, OfAnotherUserOrByALinkDoNotCount) {
  put_all();
  files_.give_to(protocol::kJudgementFile, protocol::kFetchUser);
  files_.give_to(kOffer, protocol::kJudgeUser);
  files_.make_link(protocol::kFollowedFile);
  EXPECT_FALSE(read_judgement(files_));
  EXPECT_FALSE(read_offer(files_));
  EXPECT_FALSE(read_followed(files_));
}

TEST_F(SourceRecords, ThatAreNotUnderstoodShowNothingOfThemselves) {
  files_.put(protocol::kJudgementFile, "{\"s3cret");
  files_.put(kOffer, "{\"s3cret");
  EXPECT_THAT(read_judgement(files_).error().what,
              testing::AllOf(HasSubstr("judgement.json' is not understood"), Not(HasSubstr("s3"))));
  EXPECT_FALSE(read_offer(files_));
}

}  // namespace
}  // namespace spark::state
