#include "helpers/peers/gathering.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/base64.hpp"
#include "base/sha256.hpp"
#include "fake/fake_host.hpp"
#include "helpers/peers/frames.hpp"
#include "signing/node_key.hpp"

namespace spark::helpers {
namespace {

using protocol::CageEnd;
using protocol::CageState;
using protocol::NodeRecord;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Time = Gathering::Time;

std::string run_of(int number) { return fmt::format("{:016x}", number); }

/// What the node of that number has committed itself to.
protocol::Opening opening_of(int number) {
  return {.run = run_of(number),
          .nonce = fmt::format("{:064x}", number),
          .key = to_base64(std::string(32, static_cast<char>(number)))};
}

std::string commitment_of(int number) {
  return protocol::commitment_of(fmt::format("spark{}", number), opening_of(number));
}

protocol::DiscoverTask task_of(int number, bool is_founder = false) {
  return {.node = fmt::format("spark{}", number),
          .run = run_of(number),
          .commitment = commitment_of(number),
          .is_founder = is_founder,
          .lan = "enP7s7",
          .subnets = {},
          .links = {{.name = "enp1s0f0np0", .index = 2, .cage = 0},
                    {.name = "enp1s0f1np1", .index = 3, .cage = 1}}};
}

NodeRecord record_of(int number, std::uint64_t sequence) {
  return {.node = fmt::format("spark{}", number),
          .run = run_of(number),
          .commitment = commitment_of(number),
          .sequence = sequence,
          .lan = "enP7s7"};
}

protocol::DiscoverFrame frame_of(int number, int cage, std::uint64_t sequence) {
  return {.run = run_of(number), .cage = cage, .record = record_of(number, sequence)};
}

std::vector<std::string> names_in(const Gathering& gathering, Time now) {
  std::vector<std::string> names;
  for (const auto& record : gathering.seen(now).nodes) names.push_back(record.node);
  return names;
}

/// Nodes with cables between their cages. All frames pass as bytes.
class Cabled {
 public:
  /// The first one runs `init --discover`; or, `own_file`, all join and keep theirs.
  explicit Cabled(int count, const std::string& own_file = {}) {
    for (int number = 1; number <= count; ++number) {
      auto task = task_of(number, number == 1 && own_file.empty());
      task.own_file = own_file;
      nodes_.push_back(std::make_unique<Gathering>(task));
    }
  }

  void join(int a, int cage_a, int b, int cage_b) {
    cables_[{a, cage_a}].emplace_back(b, cage_b);
    cables_[{b, cage_b}].emplace_back(a, cage_a);
    node(a).set_state(cage_a, CageState::kCarrier);
    node(b).set_state(cage_b, CageState::kCarrier);
  }

  void rounds(int count) {
    for (int round = 0; round < count; ++round) {
      for (int from = 1; from <= static_cast<int>(nodes_.size()); ++from) send(from);
      now_ += kDiscoverEvery;
    }
  }

  Gathering& node(int number) { return *nodes_[static_cast<std::size_t>(number - 1)]; }
  [[nodiscard]] Time now() const { return now_; }

 private:
  void send(int from) {
    for (auto& frame : node(from).next_round(now_)) {
      for (int cage = 0; cage <= 1; ++cage) {
        frame.cage = cage;
        const auto bytes = encode_discover(frame);
        EXPECT_FALSE(bytes.empty());
        for (const auto& [to, to_cage] : cables_[{from, cage}]) {
          node(to).take(to_cage, *decode_discover(bytes), now_);
        }
      }
    }
  }

  std::vector<std::unique_ptr<Gathering>> nodes_;
  std::map<std::pair<int, int>, std::vector<std::pair<int, int>>> cables_;
  Time now_{seconds(100)};
};

TEST(Gathering, TwoNodesHearEachOtherByTheCageOfTheSender) {
  Cabled pair(2);
  pair.join(1, 0, 2, 1);
  pair.rounds(3);
  const auto seen = pair.node(1).seen(pair.now()).nodes;
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].node, "spark1") << "its own comes first";
  EXPECT_THAT(seen[0].cages[0].hears, ElementsAre(CageEnd{"spark2", 1}));
  EXPECT_THAT(seen[0].cages[1].hears, IsEmpty());
  EXPECT_THAT(seen[1].cages[1].hears, ElementsAre(CageEnd{"spark1", 0}));
}

TEST(Gathering, InARingOfFourEachKnowsTheDiagonal) {
  Cabled ring(4);
  for (int number = 1; number <= 4; ++number) ring.join(number, 0, number % 4 + 1, 1);
  ring.rounds(5);
  for (int number = 1; number <= 4; ++number) {
    const auto seen = ring.node(number).seen(ring.now()).nodes;
    ASSERT_EQ(seen.size(), 4U) << number;
    for (const auto& record : seen) {
      EXPECT_EQ(record.cages[0].hears.size() + record.cages[1].hears.size(), 2U) << record.node;
    }
  }
}

TEST(Gathering, TheOfferReachesTheDiagonalAndWhatIsSaidToItComesBack) {
  Cabled ring(4);
  for (int number = 1; number <= 4; ++number) ring.join(number, 0, number % 4 + 1, 1);
  ring.rounds(5);
  const std::string file(20'000, 'x');
  ring.node(1).take(protocol::DiscoverOrder{.offer = file});
  // The helper asks after each round.
  std::map<int, std::string> came;
  for (int round = 0; round < 20; ++round) {
    ring.rounds(1);
    for (int number = 2; number <= 4; ++number) {
      if (const auto got = ring.node(number).new_file(ring.now())) {
        EXPECT_FALSE(came.contains(number)) << "once";
        EXPECT_EQ(got->founder, run_of(1));
        came[number] = got->text;
        ring.node(number).take(protocol::DiscoverOrder{
            .opening = opening_of(number), .refuses = number == 3 ? sha256_of(file) : ""});
      }
    }
  }
  EXPECT_THAT(came, ElementsAre(std::pair(2, file), std::pair(3, file), std::pair(4, file)));
  for (const auto& record : ring.node(1).seen(ring.now()).nodes) {
    EXPECT_EQ(record.file, sha256_of(file)) << record.node;
    EXPECT_EQ(record.refuses, record.node == "spark3");
  }
  const auto seen = ring.node(1).seen(ring.now());
  EXPECT_THAT(seen.openings, ElementsAre(opening_of(2), opening_of(3), opening_of(4)));
  const auto quiet = ring.node(1).next_round(ring.now());
  EXPECT_EQ(quiet.size(), 4U + 3U) << "nobody lacks a piece any more";
}

TEST(Gathering, OfNodesThatKeepTheirFilesTheFirstByNameIsFollowed) {
  Cabled pair(2, "0123abcd");
  pair.join(1, 0, 2, 1);
  pair.rounds(3);
  EXPECT_EQ(pair.node(1).seen(pair.now()).nodes[1].own_file, "0123abcd");
  pair.node(2).take(protocol::DiscoverOrder{.offer = "from the second"});
  pair.node(1).take(protocol::DiscoverOrder{.offer = "from the first"});
  pair.rounds(3);
  EXPECT_FALSE(pair.node(1).new_file(pair.now()));
  EXPECT_FALSE(pair.node(2).new_file(pair.now())) << "it has made one itself";
  Cabled again(2, "0123abcd");
  again.join(1, 0, 2, 1);
  again.rounds(3);
  again.node(1).take(protocol::DiscoverOrder{.offer = "from the first"});
  again.rounds(3);
  const auto got = again.node(2).new_file(again.now());
  ASSERT_TRUE(got);
  EXPECT_EQ(got->text, "from the first");
  EXPECT_EQ(got->founder, run_of(1));
}

TEST(Gathering, ANodeWithoutAFileFollowsNoneThatKeepsItsOwn) {
  Gathering gathering(task_of(2));
  auto frame = frame_of(1, 0, 1);
  frame.record->own_file = "0123abcd";
  frame.record->file = sha256_of("x");
  gathering.take(0, frame, seconds(1));
  frame.record.reset();
  frame.chunk = chunks_of("x").front();
  gathering.take(0, frame, seconds(1));
  EXPECT_FALSE(gathering.new_file(seconds(1)));
}

// Any host on the wire may send, at any pace.
TEST(Gathering, AnOpeningThatDoesNotFitItsCommitmentIsNone) {
  Gathering gathering(task_of(1));
  gathering.take(0, frame_of(2, 0, 1), seconds(1));
  const auto open = [&](const protocol::Opening& opening) {
    gathering.take(0, {.run = run_of(9), .cage = 0, .opening = opening}, seconds(1));
    return gathering.seen(seconds(1)).openings;
  };
  auto forged = opening_of(2);
  forged.key = opening_of(9).key;
  EXPECT_THAT(open(forged), IsEmpty());
  forged = opening_of(2);
  forged.nonce = opening_of(9).nonce;
  EXPECT_THAT(open(forged), IsEmpty());
  forged = opening_of(9);
  EXPECT_THAT(open(forged), IsEmpty()) << "of nobody that is there";
  EXPECT_THAT(open(opening_of(2)), ElementsAre(opening_of(2)));
  EXPECT_THAT(open(forged), ElementsAre(opening_of(2)));
}

TEST(Gathering, TwoSourcesOfOneNodeAreADispute) {
  const auto changes = std::vector<void (*)(NodeRecord&)>{
      [](NodeRecord& record) { record.commitment = commitment_of(9); },
      [](NodeRecord& record) { record.node = "spark9"; },
      [](NodeRecord& record) { record.lan = "enP7s7.5"; },
      [](NodeRecord& record) { record.is_founder = true; },
      [](NodeRecord& record) { record.own_file = "0123abcd"; },
      [](NodeRecord& record) { record.subnets = {*IpPrefix::parse("192.168.177.0/24")}; }};
  for (const auto change : changes) {
    for (const int number : {1, 2}) {  // this node's own run, and another's
      Gathering gathering(task_of(1));
      gathering.take(0, frame_of(number, 1, 1), seconds(1));
      EXPECT_THAT(gathering.seen(seconds(1)).disputed, IsEmpty());
      auto forged = frame_of(number, 1, 99);
      change(*forged.record);
      gathering.take(0, forged, seconds(1));
      EXPECT_THAT(gathering.seen(seconds(1)).disputed, ElementsAre(fmt::format("spark{}", number)));
      gathering.take(0, frame_of(number, 1, 2), seconds(2));
      EXPECT_EQ(gathering.seen(seconds(2)).disputed.size(), 1U) << "it stays";
    }
  }
}

TEST(Gathering, OnlyAConsentThatItsNodeSignedIsPassedOn) {
  test::FakeHost host;
  Gathering gathering(task_of(1));
  const auto key = *signing::NodeKey::load_or_make(host.files());
  protocol::Opening opening{run_of(2), std::string(64, 'a'), key.public_half()};
  auto frame = frame_of(2, 0, 1);
  frame.record->commitment = protocol::commitment_of("spark2", opening);
  gathering.take(0, frame, seconds(1));
  gathering.take(0, {.run = run_of(2), .cage = 0, .opening = opening}, seconds(1));
  const auto say = [&](const std::string& run, const std::string& signature) {
    gathering.take(0, {.run = run_of(9), .cage = 0, .consent = protocol::Consent{run, signature}},
                   seconds(1));
    return gathering.seen(seconds(1)).consents.size();
  };
  const std::string transcript(64, 'e');
  const auto signed_for = [&](const std::string& run, const std::string& text) {
    return key.sign(protocol::consent_text(run, text));
  };
  EXPECT_EQ(say(run_of(2), signed_for(run_of(2), transcript)), 0U) << "nobody knows to what";
  gathering.take(protocol::DiscoverOrder{.transcript = transcript});
  EXPECT_EQ(say(run_of(2), signed_for(run_of(2), std::string(64, 'f'))), 0U);
  EXPECT_EQ(say(run_of(2), signed_for(run_of(3), transcript)), 0U);
  EXPECT_EQ(say(run_of(9), signed_for(run_of(9), transcript)), 0U);
  EXPECT_EQ(say(run_of(2), signed_for(run_of(2), transcript)), 1U);
  EXPECT_EQ(say(run_of(2), to_base64(std::string(64, 'x'))), 1U) << "the signed one stays";
  EXPECT_EQ(gathering.seen(seconds(1)).consents[0].signature, signed_for(run_of(2), transcript));
}

TEST(Gathering, ANodeThatFallsSilentIsGoneAndItsOldRecordDoesNotComeBack) {
  Gathering gathering(task_of(1));
  gathering.take(0, frame_of(2, 0, 7), seconds(1));
  EXPECT_THAT(names_in(gathering, seconds(1)), ElementsAre("spark1", "spark2"));
  EXPECT_THAT(names_in(gathering, seconds(7)), ElementsAre("spark1"));
  // Another node still passes it on.
  auto passed_on = frame_of(3, 1, 1);
  passed_on.record = record_of(2, 7);
  gathering.take(0, passed_on, seconds(8));
  EXPECT_THAT(names_in(gathering, seconds(8)), ElementsAre("spark1"));
  gathering.take(0, frame_of(2, 0, 8), seconds(9));
  EXPECT_THAT(names_in(gathering, seconds(9)), ElementsAre("spark1", "spark2"));
}

TEST(Gathering, ANodeThatSaysSoIsGoneAtOnce) {
  Cabled ring(4);
  for (int number = 1; number <= 4; ++number) ring.join(number, 0, number % 4 + 1, 1);
  ring.rounds(5);
  ring.node(3).leave();
  ring.rounds(2);
  EXPECT_THAT(names_in(ring.node(1), ring.now()), ElementsAre("spark1", "spark2", "spark4"))
      << "the diagonal hears of it too";
}

TEST(Gathering, ACableThatIsPulledIsHeardNoMore) {
  Gathering gathering(task_of(1));
  gathering.take(0, frame_of(2, 0, 1), seconds(1));
  EXPECT_THAT(gathering.seen(seconds(2)).nodes[0].cages[0].hears,
              ElementsAre(CageEnd{"spark2", 0}));
  // The node itself is still there, over the other cage.
  gathering.take(1, frame_of(2, 1, 2), seconds(5));
  const auto own = gathering.seen(seconds(5)).nodes[0];
  EXPECT_THAT(own.cages[0].hears, IsEmpty());
  EXPECT_THAT(own.cages[1].hears, ElementsAre(CageEnd{"spark2", 1}));
}

TEST(Gathering, ItsOwnFramesAreALoopWhereAnotherCageHearsThem) {
  Gathering gathering(task_of(1));
  gathering.take(0, frame_of(1, 0, 1), seconds(1));
  EXPECT_THAT(gathering.seen(seconds(1)).nodes[0].cages[0].hears, IsEmpty())
      << "the rails of one cage may hear each other";
  gathering.take(0, frame_of(1, 1, 1), seconds(1));
  const auto nodes = gathering.seen(seconds(1)).nodes;
  ASSERT_EQ(nodes.size(), 1U) << "it is no other node";
  EXPECT_THAT(nodes[0].cages[0].hears, ElementsAre(CageEnd{"spark1", 1}));
}

TEST(Gathering, AFloodOfFramesDisplacesNobody) {
  Gathering gathering(task_of(1));
  gathering.take(0, frame_of(2, 0, 1), seconds(1));
  for (int number = 100; number < 10'000; ++number) {
    gathering.take(0, frame_of(number, 0, 1), milliseconds(1500));
  }
  const auto names = names_in(gathering, milliseconds(1500));
  EXPECT_EQ(names.size(), Gathering::kMostPlaces + 1);
  EXPECT_THAT(names, ::testing::Contains("spark2"));
  gathering.take(0, frame_of(2, 0, 2), seconds(4));
  EXPECT_THAT(names_in(gathering, seconds(8)), ElementsAre("spark1", "spark2"));
  for (const auto& frame : gathering.next_round(seconds(8))) {
    auto sent = frame;
    sent.cage = 0;
    EXPECT_FALSE(encode_discover(sent).empty());
  }
}

TEST(Gathering, FramesOfAnotherLinkThanACagesAreNone) {
  Gathering gathering(task_of(1));
  gathering.take(5, frame_of(2, 0, 1), seconds(1));
  EXPECT_THAT(names_in(gathering, seconds(1)), ElementsAre("spark1"));
}

TEST(Gathering, NoFileIsTakenWhileTwoOffer) {
  Gathering gathering(task_of(1));
  for (const int number : {2, 3}) {
    auto frame = frame_of(number, 0, 1);
    frame.record->is_founder = true;
    frame.record->file = sha256_of("x");
    gathering.take(0, frame, seconds(1));
  }
  auto piece = frame_of(2, 0, 2);
  piece.record.reset();
  piece.chunk = chunks_of("x").front();
  gathering.take(0, piece, seconds(1));
  EXPECT_FALSE(gathering.new_file(seconds(1)));
}

TEST(Gathering, ARefusalIsOfOneOffer) {
  Gathering gathering(task_of(2));
  const auto offer = [&](const std::string& text, std::uint64_t sequence) {
    auto frame = frame_of(1, 0, sequence);
    frame.record->is_founder = true;
    frame.record->file = sha256_of(text);
    gathering.take(0, frame, seconds(1));
    frame.record.reset();
    frame.chunk = chunks_of(text).front();
    gathering.take(0, frame, seconds(1));
    return gathering.new_file(seconds(1));
  };
  ASSERT_TRUE(offer("first", 1));
  const protocol::DiscoverOrder refused{.refuses = sha256_of("first")};
  gathering.take(refused);
  EXPECT_TRUE(gathering.seen(seconds(1)).nodes[0].refuses);
  const auto second = offer("second", 2);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->text, "second");
  EXPECT_FALSE(gathering.seen(seconds(1)).nodes[0].refuses);
  gathering.take(refused);
  EXPECT_FALSE(gathering.seen(seconds(1)).nodes[0].refuses);
}

}  // namespace
}  // namespace spark::helpers
