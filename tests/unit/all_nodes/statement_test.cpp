#include "all_nodes/statement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "all_nodes/heard.hpp"
#include "base/sha256.hpp"
#include "fake/fake_host.hpp"
#include "protocol/all_nodes.hpp"
#include "protocol/paths.hpp"

namespace spark::all_nodes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

const std::string kSomeKey = std::string(43, 'A') + "=";

TEST(TrustedKeysFile, HasALineAKeyAndComments) {
  test::FakeHost host;
  EXPECT_THAT(read_trusted(host.files()).value(), IsEmpty());
  host.files().put(protocol::kTrustedFile,
                   "# by Ansible\n\nspark2  ed25519 " + kSomeKey + " # rack 4\n");
  EXPECT_THAT(read_trusted(host.files()).value(), ElementsAre(Pair("spark2", kSomeKey)));
}

TEST(TrustedKeysFile, IsRefusedWhereALineIsNoKey) {
  const auto line = "spark2 ed25519 " + kSomeKey + "\n";
  for (const auto& second : {std::string("spark3 rsa " + kSomeKey), std::string("spark3"), line}) {
    const auto keys = trusted_in(line + second);
    ASSERT_FALSE(keys) << second;
    EXPECT_THAT(keys.error().what, HasSubstr("line 2 of '/etc/spark-reconcile/trusted'"));
  }
}

TEST(TrustedKeysFile, IsRefusedWhereOthersThanRootCouldHaveWrittenIt) {
  test::FakeHost host;
  host.files().put(protocol::kTrustedFile, "spark2 ed25519 " + kSomeKey + "\n");
  host.files().open_to_others("/etc/spark-reconcile");
  EXPECT_FALSE(read_trusted(host.files()));
}

/// What spark1 says, and who knows its key.
class Statements : public testing::Test {
 protected:
  [[nodiscard]] bool is_heard(const Statement& statement) const {
    return statement_of(signed_statement("spark1", statement, key_), keys_).has_value();
  }

  test::FakeHost host_;
  signing::NodeKey key_ = *signing::NodeKey::load_or_make(host_.files());
  TrustedKeys keys_{{"spark1", key_.public_half()}, {"spark2", kSomeKey}};
  Offer offer_{.id = std::string(32, 'a'),
               .origin = "spark1",
               .by = "alice",
               .change_id = {},
               .cluster = "pair",
               .digest = sha256_of("version: 1\n"),
               .text = "version: 1\n",
               .nonces = {{"spark1", std::string(32, '1')}, {"spark2", std::string(32, '2')}},
               .within = protocol::kUsualWithin};
  Status status_{.offer = offer_.id, .digest = offer_.digest, .node = "spark1"};
};

TEST_F(Statements, AreHeardFromWhoSignedThem) {
  const auto said = signed_statement("spark1", offer_, key_);
  EXPECT_EQ(statement_of(said, keys_), Statement(offer_));
  auto other = said;
  other.node = "spark2";
  EXPECT_FALSE(statement_of(other, keys_));
  other.node = "spark3";
  EXPECT_FALSE(statement_of(other, keys_));
  other = said;
  other.body.replace(other.body.find("alice"), 5, "mallo");
  EXPECT_FALSE(statement_of(other, keys_));
}

TEST_F(Statements, AreNoneWhereTheSameKeySignedSomethingElse) {
  auto said = signed_statement("spark1", offer_, key_);
  said.signature = key_.sign(said.body);
  EXPECT_FALSE(statement_of(said, keys_));
}

TEST_F(Statements, AreOfTheNodeThatSaysThem) {
  EXPECT_TRUE(is_heard(status_));
  status_.node = "spark2";
  EXPECT_FALSE(is_heard(status_));
  offer_.origin = "spark2";
  EXPECT_FALSE(is_heard(offer_));
}

TEST_F(Statements, OfAnOfferHaveTheTextThatTheyName) {
  EXPECT_TRUE(is_heard(offer_));
  offer_.text += "#";
  EXPECT_FALSE(is_heard(offer_));
  offer_.text = std::string(kMostOfferBytes + 1, '#');
  offer_.digest = sha256_of(offer_.text);
  EXPECT_FALSE(is_heard(offer_));
}

TEST_F(Statements, AreBounded) {
  status_.plan.steps.resize(kMostLinesTold + 1);
  EXPECT_FALSE(is_heard(status_));
  status_.plan.steps = {"\x1b[2J" + std::string(1000, 'x')};
  const auto heard = statement_of(signed_statement("spark1", status_, key_), keys_);
  ASSERT_TRUE(heard);
  const auto& line = std::get<Status>(*heard).plan.steps.front();
  EXPECT_LT(line.size(), 500U);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  offer_.change_id = "CHG 31";
  EXPECT_FALSE(is_heard(offer_));
  offer_.change_id = "CHG0031";
  EXPECT_TRUE(is_heard(offer_));
  offer_.id = "../../etc/shadow";
  EXPECT_FALSE(is_heard(offer_));
}

TEST_F(Statements, GiveWayToNewerOnes) {
  Heard heard;
  status_.number = 7;
  status_.stage = Stage::kYes;
  heard.take(signed_statement("spark1", status_, key_), keys_);
  status_.number = 6;
  status_.stage = Stage::kHeard;
  heard.take(signed_statement("spark1", status_, key_), keys_);
  EXPECT_EQ(heard.status("spark1", offer_.id)->stage, Stage::kYes);
  heard.take(signed_statement("spark1", offer_, key_), keys_);
  EXPECT_EQ(heard.said({}).size(), 1U);
  EXPECT_EQ(heard.said({offer_.id}).size(), 2U);
  heard.keep_offers({});
  EXPECT_EQ(heard.status("spark1", offer_.id), nullptr);
}

}  // namespace
}  // namespace spark::all_nodes
