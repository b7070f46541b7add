#include "cli/discover/pairing.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/base64.hpp"
#include "base/json_document.hpp"
#include "base/sha256.hpp"
#include "fake/fake_host.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

using protocol::DiscoverOffer;
using protocol::DiscoverSeen;
using protocol::NodeRecord;
using protocol::OfferedNode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// RFC 8032 7.1, TEST 1.
TEST(NodeKey, SignsAsTheStandardSays) {
  test::FakeHost host;
  host.files().put(protocol::kNodeKeyFile,
                   "ed25519 " +
                       to_base64(bytes_of_hex(
                           "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")) +
                       "\n");
  const auto key = signing::NodeKey::load_or_make(host.files());
  ASSERT_TRUE(key);
  const auto half =
      to_base64(bytes_of_hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"));
  EXPECT_EQ(key->public_half(), half);
  const auto signature = to_base64(bytes_of_hex(
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bac"
      "c61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"));
  EXPECT_EQ(key->sign(""), signature);
  EXPECT_TRUE(signing::is_signed_by(half, "", signature));
  EXPECT_FALSE(signing::is_signed_by(half, "x", signature));
  EXPECT_FALSE(signing::is_signed_by("", "", signature));
  EXPECT_FALSE(signing::is_signed_by(half, "", ""));
}

TEST(NodeKey, IsMadeOnceAndNeverReplaced) {
  test::FakeHost host;
  const auto made = signing::NodeKey::load_or_make(host.files());
  ASSERT_TRUE(made);
  const auto again = signing::NodeKey::load_or_make(host.files());
  ASSERT_TRUE(again);
  EXPECT_EQ(made->public_half(), again->public_half());
  for (const auto* text : {"", "ed25519", "ed25519 AAAA\n", "rsa AAAA\n"}) {
    host.files().put(protocol::kNodeKeyFile, text);
    const auto damaged = signing::NodeKey::load_or_make(host.files());
    ASSERT_FALSE(damaged) << text;
    EXPECT_THAT(damaged.error().what, HasSubstr("holds no key"));
    EXPECT_EQ(host.files().read(protocol::kNodeKeyFile).value(), text);
  }
}

TEST(Trusted, KeysAreAddedAndNeverReplaced) {
  const auto key = [](char letter) { return std::string(43, letter) + "="; };
  const std::string mine = "# by hand\nspark9 ed25519 " + key('A');
  const auto spark2 = "spark2 ed25519 " + key('B') + "\n";
  EXPECT_EQ(with_keys("", {{"spark2", key('B')}}).value(), spark2);
  const auto more = with_keys(mine, {{"spark2", key('B')}, {"spark9", key('A')}});
  EXPECT_EQ(more.value(), mine + "\n" + spark2);
  EXPECT_EQ(with_keys(*more, {{"spark2", key('B')}}).value(), *more);
  const auto other = with_keys(mine, {{"spark9", key('C')}});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().what, HasSubstr("sudo spark-reconcile join --forget spark9"));
}

TEST(Trusted, TwoNodesHaveTwoKeys) {
  test::FakeHost host;
  const auto own = signing::NodeKey::load_or_make(host.files())->public_half();
  const auto copied = place_trusted(host.files(), {{"spark2", own}});
  ASSERT_FALSE(copied);
  EXPECT_THAT(copied.error().what, HasSubstr("spark2 has the key of this node"));
  const auto key = std::string(43, 'A') + "=";
  ASSERT_TRUE(place_trusted(host.files(), {{"spark2", key}}));
  const auto second = place_trusted(host.files(), {{"spark3", key}});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().what, HasSubstr("spark3 has the key of spark2"));
  EXPECT_EQ(host.files().read(protocol::kTrustedFile).value(), "spark2 ed25519 " + key + "\n");
}

TEST(Trusted, OneKeyIsForgottenAndTheRestStays) {
  test::FakeHost host;
  const auto forgotten = [&](const std::string& node) {
    const auto done = forget_trusted(host.files(), node);
    return done ? std::string() : done.error().what;
  };
  EXPECT_THAT(forgotten("spark2"), HasSubstr("has no key of 'spark2': it has none"));
  host.files().put(protocol::kTrustedFile,
                   "# by hand\nspark2 ed25519 BBBB\nspark22  ed25519  CCCC\nspark3 ed25519 DDDD");
  EXPECT_THAT(forgotten("spark4"), HasSubstr("it has those of spark2, spark22 and spark3"));
  EXPECT_EQ(forgotten("spark2"), "");
  EXPECT_EQ(host.files().read(protocol::kTrustedFile).value(),
            "# by hand\nspark22  ed25519  CCCC\nspark3 ed25519 DDDD\n");
}

/// A node that runs one of the verbs.
class Node {
 public:
  explicit Node(const std::string& name, int run = 1)
      : own(*OwnOpening::make(host.files(), name, fmt::format("{:016x}", run))) {}

  [[nodiscard]] OfferedNode offered() const {
    return {own.node, own.opening.run, commitment_of(own.node, own.opening)};
  }
  void begin(const std::string& offer) {
    const auto read = *value_from_text<DiscoverOffer>(offer);
    pairing.emplace(*Pairing::begin(offer, read.nodes.front().run, own));
  }

  test::FakeHost host;
  OwnOpening own;
  std::optional<Pairing> pairing;
};

std::string offer_of(const std::vector<const Node*>& nodes,
                     const std::string& file = "version: 1\n") {
  DiscoverOffer offer{.nodes = {}, .text = file};
  for (const auto* node : nodes) offer.nodes.push_back(node->offered());
  return json_text(TextJsonWriter::write(offer));
}

DiscoverSeen openings(const std::vector<protocol::Opening>& openings) {
  return {.nodes = {}, .openings = openings, .consents = {}, .disputed = {}};
}

DiscoverSeen consents(const std::vector<protocol::Consent>& consents) {
  return {.nodes = {}, .openings = {}, .consents = consents, .disputed = {}};
}

class PairingTest : public testing::Test {
 protected:
  PairingTest() {
    const auto offer = offer_of({&one_, &two_});
    one_.begin(offer);
    two_.begin(offer);
  }
  void open() {
    one_.pairing->take(openings({two_.own.opening}));
    two_.pairing->take(openings({one_.own.opening}));
  }

  Node one_{"spark1", 1};
  Node two_{"spark2", 2};
  Node eve_{"spark2", 3};
};

TEST_F(PairingTest, BothHaveTheSameWordsAndEachOthersKey) {
  EXPECT_FALSE(one_.pairing->is_open());
  open();
  ASSERT_TRUE(one_.pairing->is_open());
  EXPECT_EQ(one_.pairing->words(), two_.pairing->words());
  EXPECT_THAT(one_.pairing->keys_of_others(),
              ElementsAre(TrustedKey{"spark2", two_.own.opening.key}));
  EXPECT_THAT(one_.pairing->awaited(), ElementsAre("spark2"));
  one_.pairing->take(consents({two_.pairing->consent(two_.own)}));
  EXPECT_THAT(one_.pairing->awaited(), IsEmpty());
}

TEST_F(PairingTest, AnOpeningOfSomebodyElseIsPassedOver) {
  auto forged = eve_.own.opening;
  forged.run = two_.own.opening.run;
  one_.pairing->take(openings({forged, eve_.own.opening}));
  EXPECT_FALSE(one_.pairing->is_open());
  one_.pairing->take(openings({two_.own.opening, forged}));
  ASSERT_TRUE(one_.pairing->is_open());
  EXPECT_THAT(one_.pairing->keys_of_others(),
              ElementsAre(TrustedKey{"spark2", two_.own.opening.key}));
}

TEST_F(PairingTest, AConsentCountsThatItsNodeSignedOfAllThis) {
  open();
  const auto real = two_.pairing->consent(two_.own);
  auto others_key = real;
  others_key.signature = eve_.own.key.sign(protocol::consent_text(real.run, std::string(64, 'a')));
  auto others_run = real;
  others_run.run = one_.own.opening.run;
  auto damaged = real;
  damaged.signature[3] = damaged.signature[3] == 'A' ? 'B' : 'A';
  // Of the same node, of another day: another nonce, another transcript.
  Node before("spark1", 7);
  const auto old_offer = offer_of({&before, &two_}, "version: 1\nname: old\n");
  Node earlier("spark2", 2);
  auto replayed = real;
  replayed.signature = two_.own.key.sign(protocol::consent_text(
      real.run, protocol::transcript_of(old_offer, {before.own.opening, two_.own.opening})));
  one_.pairing->take(consents({others_key, others_run, damaged, replayed}));
  EXPECT_THAT(one_.pairing->awaited(), ElementsAre("spark2"));
  one_.pairing->take(consents({real}));
  EXPECT_THAT(one_.pairing->awaited(), IsEmpty());
}

TEST_F(PairingTest, AConsentBeforeTheWordsAreCertainIsNone) {
  two_.pairing->take(openings({one_.own.opening}));
  one_.pairing->take(consents({two_.pairing->consent(two_.own)}));
  EXPECT_THAT(one_.pairing->awaited(), ElementsAre("spark2"));
}

// Each in between is a node to both, with a file and a key of its own.
TEST(Pairing, WhoIsInBetweenHasOtherWordsOnEachSide) {
  Node one("spark1", 1);
  Node two("spark2", 2);
  Node as_two("spark2", 3);
  Node as_one("spark1", 4);
  const auto to_one = offer_of({&one, &as_two});
  const auto to_two = offer_of({&as_one, &two});
  one.begin(to_one);
  two.begin(to_two);
  one.pairing->take(openings({as_two.own.opening}));
  two.pairing->take(openings({as_one.own.opening}));
  ASSERT_TRUE(one.pairing->is_open() && two.pairing->is_open());
  EXPECT_NE(one.pairing->words(), two.pairing->words());
}

TEST(Pairing, TheWordsAreOfEachByteOfTheOfferAndOfEachOpening) {
  Node one("spark1", 1);
  Node two("spark2", 2);
  const std::vector openings_of_both{one.own.opening, two.own.opening};
  const auto offer = offer_of({&one, &two});
  const auto transcript = protocol::transcript_of(offer, openings_of_both);
  for (std::size_t i = 0; i < offer.size(); ++i) {
    auto other = offer;
    other[i] = other[i] == 'x' ? 'y' : 'x';
    EXPECT_NE(protocol::transcript_of(other, openings_of_both), transcript);
  }
  for (const auto member :
       {&protocol::Opening::nonce, &protocol::Opening::key, &protocol::Opening::run}) {
    for (std::size_t i = 0; i < 2; ++i) {
      auto changed = openings_of_both;
      changed[i].*member += "0";
      EXPECT_NE(protocol::transcript_of(offer, changed), transcript);
    }
  }
}

TEST(Pairing, WhatIsNoOfferForThisRunOfThisNodeIsRefused) {
  Node one("spark1", 1);
  Node two("spark2", 2);
  Node restarted("spark2", 5);
  Node same_name("spark1", 6);
  for (const auto& offer :
       {std::string(), std::string("{}"), std::string("version: 1\n"), offer_of({&one}),
        offer_of({&one, &restarted}), offer_of({&one, &two, &same_name}),
        offer_of({&one, &two, &one}), offer_of({})}) {
    const auto begun = Pairing::begin(offer, one.own.opening.run, two.own);
    ASSERT_FALSE(begun) << offer;
    EXPECT_THAT(begun.error().what, HasSubstr("run `init --discover` again there"));
  }
}

TEST(Pairing, WhoMakesTheOfferIsOneOfItsNodes) {
  Node one("spark1", 1);
  Node two("spark2", 2);
  const auto offer = offer_of({&one, &two});
  EXPECT_EQ(Pairing::begin(offer, one.own.opening.run, two.own)->founder(), "spark1");
  EXPECT_FALSE(Pairing::begin(offer, "00000000000000ff", two.own));
}

TEST(Pairing, SaysWhoIsGoneBeforeAYes) {
  Node one("spark1", 1);
  Node two("spark2", 2);
  one.begin(offer_of({&one, &two}));
  two.begin(offer_of({&one, &two}));
  const NodeRecord there{.node = "spark2", .run = two.own.opening.run};
  EXPECT_EQ(one.pairing->gone({there}), "");
  EXPECT_EQ(one.pairing->gone({}), "spark2");
  one.pairing->take(openings({two.own.opening}));
  two.pairing->take(openings({one.own.opening}));
  one.pairing->take(consents({two.pairing->consent(two.own)}));
  EXPECT_EQ(one.pairing->gone({}), "");
}

TEST(Pairing, ARefusalIsOfOneOfTheNodesAndOfThisOffer) {
  Node one("spark1", 1);
  Node two("spark2", 2);
  one.begin(offer_of({&one, &two}));
  const auto refused = [&](const std::string& run, const std::string& file) {
    NodeRecord record{
        .node = "spark2", .run = run, .commitment = {}, .file = file, .refuses = true};
    one.pairing->take({.nodes = {record}, .openings = {}, .consents = {}, .disputed = {}});
    return one.pairing->refused_by();
  };
  EXPECT_EQ(refused(two.own.opening.run, sha256_of("another")), "");
  EXPECT_EQ(refused(one.own.opening.run, one.pairing->digest()), "");
  EXPECT_EQ(refused(two.own.opening.run, one.pairing->digest()), "spark2");
}

}  // namespace
}  // namespace spark::cli
