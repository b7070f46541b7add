#include "node_state/signs.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/daemon/states.hpp"

namespace spark::node_state {
namespace {

using jobs::Recorded;
using jobs::Sign;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::IsEmpty;
using testing::SizeIs;

/// A ready node, one state after another, a minute apart.
class NoteSigns : public testing::Test {
 protected:
  NoteSigns() {
    for (auto& rail : now_.around.rails) rail.asked = rail.tried = now_.pass_at;
    next();
    log_ = {};
  }

  /// `now_` as it is made until then is seen.
  void next() {
    note_signs(before_, now_, log_);
    before_ = now_;
    now_.pass_at = later(now_.pass_at, minutes(1));
  }
  /// All peers were asked for an echo, and answered or not.
  void ask(bool answers) {
    for (auto& rail : now_.around.rails) {
      rail.asked = now_.pass_at;
      rail.echo = answers;
    }
  }
  ChangeRecord& change(std::string kind, const std::string& link) {
    return now_.changes.emplace_front(ChangeRecord{.at = now_.pass_at,
                                                   .cause = ChangeRecord::Cause::kDrift,
                                                   .kind = std::move(kind),
                                                   .key = link,
                                                   .before = "1500",
                                                   .after = "9000",
                                                   .failure = "",
                                                   .took = milliseconds(3),
                                                   .overwritten = false,
                                                   .writer = "NetworkManager (process 412)",
                                                   .on = {.link = link, .ip = {}}});
  }
  [[nodiscard]] std::vector<Recorded> signs(Sign sign) const {
    std::vector<Recorded> found;
    for (const auto& one : log_.record().signs) {
      if (one.sign == sign) found.push_back(one);
    }
    return found;
  }

  NodeState before_ = daemon::test_states().at("ring");
  NodeState now_ = before_;
  const std::string link_ = now_.links.front().name;
  jobs::SignLog log_;
};

TEST_F(NoteSigns, OfANodeThatStaysAsItIsAreNone) {
  next();
  EXPECT_THAT(log_.record().signs, IsEmpty());
  EXPECT_EQ(log_.record().node, "spark1");
}

TEST_F(NoteSigns, OfTheFirstPassAreNone) {
  now_.links.front().carrier = false;
  before_ = {};
  next();
  EXPECT_THAT(log_.record().signs, IsEmpty());
}

TEST_F(NoteSigns, SayWhenACarrierWentAndCame) {
  now_.links.front().carrier = false;
  const auto lost = now_.pass_at;
  next();
  next();
  now_.links.front().carrier = true;
  next();
  const auto found = signs(Sign::kCarrierLost);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].at, lost.wall);
  EXPECT_EQ(found[0].link, link_);
  EXPECT_EQ(found[0].lasted, minutes(2));
}

TEST_F(NoteSigns, EndWhatStoodWhenTheDaemonBeforeEnded) {
  log_.add({.at = now_.pass_at.wall - hours(1),
            .sign = Sign::kCarrierLost,
            .link = link_,
            .peer = "",
            .lasted = {},
            .text = ""});
  next();
  EXPECT_TRUE(signs(Sign::kCarrierLost).front().lasted);
}

TEST_F(NoteSigns, SayThatADeviceIsGone) {
  now_.links.front().present = now_.links.front().carrier = false;
  next();
  EXPECT_THAT(signs(Sign::kDeviceGone), SizeIs(1));
}

TEST_F(NoteSigns, AreOfNoLinkThatTheFileHasNoPeerOn) {
  for (auto& link : now_.links) {
    if (!link.cage) link.carrier = false;
  }
  next();
  EXPECT_THAT(log_.record().signs, IsEmpty());
}

TEST_F(NoteSigns, HaveNoWriterOfAnMtu) {
  change("mtu", link_);
  next();
  const auto found = signs(Sign::kMtuChanged);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].link, link_);
  EXPECT_EQ(found[0].lasted, milliseconds(3));
  EXPECT_EQ(found[0].text, "1500 to 9000 set back, by another program");
}

TEST_F(NoteSigns, HaveEachChangeOnce) {
  change("mtu", link_);
  next();
  next();
  EXPECT_THAT(signs(Sign::kMtuChanged), SizeIs(1));
}

TEST_F(NoteSigns, SayThatAnAddressWasGone) {
  auto& gone = change("address", link_);
  gone.before = {};
  gone.on.ip = IpAddress::parse("192.0.2.11");
  next();
  const auto found = signs(Sign::kAddressGone);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].text, "192.0.2.11 set back, by another program");
}

TEST_F(NoteSigns, OfADriftEndWithItsCorrection) {
  now_.drifts.push_back({.kind = "mtu",
                         .key = link_,
                         .have = "1500",
                         .want = "9000",
                         .since = now_.pass_at,
                         .on = {.link = link_, .ip = {}}});
  next();
  now_.drifts.pop_back();
  change("mtu", link_);
  next();
  const auto found = signs(Sign::kMtuChanged);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].text, "1500, the file says 9000");
  EXPECT_EQ(found[0].lasted, minutes(1));
}

TEST_F(NoteSigns, OfWhatANewFileAsksForInVainAreNoChange) {
  now_.file.digest = "another";
  now_.drifts.push_back({.kind = "mtu",
                         .key = link_,
                         .state = Drift::State::kFailed,
                         .have = "1500",
                         .want = "9000",
                         .since = now_.pass_at,
                         .on = {.link = link_, .ip = {}}});
  next();
  next();
  EXPECT_THAT(signs(Sign::kMtuChanged), IsEmpty());
}

TEST_F(NoteSigns, EndADriftThatTheNextDaemonCorrectedBeforeItsFirstLook) {
  log_.add({.at = now_.pass_at.wall - hours(1),
            .sign = Sign::kAddressGone,
            .link = link_,
            .peer = "",
            .lasted = {},
            .text = "192.0.2.11"});
  const Drift other{.kind = "address",
                    .key = link_,
                    .have = {},
                    .want = "192.0.2.12",
                    .since = now_.pass_at,
                    .on = {.link = link_, .ip = IpAddress::parse("192.0.2.12")}};
  now_.drifts.push_back(other);
  next();
  const auto found = signs(Sign::kAddressGone);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_TRUE(found[0].lasted);
  EXPECT_FALSE(found[1].lasted) << "the other address is still gone";
}

TEST_F(NoteSigns, OfOtherChangesHaveNoNames) {
  auto& mount = change("mount", "");
  mount.key = "/home/alice/data";
  mount.after = "nfs of alice";
  auto& address = change("address", link_);
  address.cause = ChangeRecord::Cause::kFile;
  address.on.ip = IpAddress::parse("192.0.2.11");
  next();
  const auto found = signs(Sign::kChanged);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].text, "mount: set back after another program");
  EXPECT_EQ(found[0].link, "");
  EXPECT_EQ(found[1].text, "address 192.0.2.11: by the file");
  EXPECT_EQ(found[1].link, link_);
}

TEST_F(NoteSigns, OfAChangeThatFailedAreNone) {
  change("mtu", link_).failure = "set mtu: Invalid argument";
  next();
  EXPECT_THAT(log_.record().signs, IsEmpty());
}

TEST_F(NoteSigns, SayThatAGidMoved) {
  now_.gid_moves.push_front({now_.pass_at, link_, "rocep1s0f0", "192.0.2.11", 3, 5});
  next();
  next();
  ASSERT_THAT(signs(Sign::kGidMoved), SizeIs(1));
  EXPECT_EQ(signs(Sign::kGidMoved)[0].text, "192.0.2.11: 3 to 5");
}

TEST_F(NoteSigns, HaveAnEchoOfEachLookThatAskedForOne) {
  ask(true);
  next();
  next();
  EXPECT_THAT(signs(Sign::kEcho), SizeIs(now_.around.rails.size()));
  ask(true);
  next();
  EXPECT_THAT(signs(Sign::kEcho), SizeIs(2 * now_.around.rails.size()));
}

TEST_F(NoteSigns, SayFromWhenToWhenAPeerWasSilent) {
  ask(true);
  next();
  ask(false);
  next();
  ask(false);
  next();
  ask(true);
  next();
  const auto found = signs(Sign::kPeerSilent);
  ASSERT_THAT(found, SizeIs(now_.around.rails.size()));
  EXPECT_EQ(found[0].lasted, minutes(2));
  EXPECT_EQ(found[0].peer, now_.around.rails[0].peer);
}

TEST_F(NoteSigns, OfAPeerThatAnswersOverOneOfTwoAddressesAreNoSilence) {
  auto other = now_.around.rails.front();
  other.ip = *IpAddress::parse("2001:db8::12");
  now_.around.rails.push_back(other);
  for (int i = 0; i < 3; ++i) {
    ask(true);
    now_.around.rails.back().echo = false;
    next();
  }
  EXPECT_THAT(signs(Sign::kPeerSilent), IsEmpty());
  ask(false);
  next();
  EXPECT_THAT(signs(Sign::kPeerSilent), SizeIs(now_.around.rails.size() - 1));
}

TEST_F(NoteSigns, OfAPeerThatCouldNotBeAskedAreNone) {
  ask(true);
  next();
  for (auto& rail : now_.around.rails) rail.echo = false;
  next();
  EXPECT_THAT(signs(Sign::kPeerSilent), IsEmpty());
}

TEST_F(NoteSigns, OfAPeerThatNeverAnsweredAreNone) {
  ask(false);
  next();
  ask(false);
  next();
  EXPECT_THAT(log_.record().signs, IsEmpty());
}

TEST_F(NoteSigns, HaveEachProofOfRdmaOnce) {
  auto& rail = now_.around.rails.front();
  rail.tried = now_.pass_at;
  next();
  next();
  ASSERT_THAT(signs(Sign::kRdmaProven), SizeIs(1));
  EXPECT_EQ(signs(Sign::kRdmaProven)[0].at, rail.tried.wall);
  before_.around.rails.clear();  // of a daemon that has just started
  next();
  EXPECT_THAT(signs(Sign::kRdmaProven), SizeIs(1 + now_.around.rails.size() - 1));
}

TEST_F(NoteSigns, SayThatRdmaFailedWhereItWasProvenAndTheEchoPasses) {
  auto& rail = now_.around.rails.front();
  rail.tried = now_.pass_at;
  next();
  rail.tried = now_.pass_at;
  rail.rdma = false;
  next();
  rail.tried = now_.pass_at;
  next();
  rail.tried = now_.pass_at;
  rail.rdma = true;
  next();
  const auto found = signs(Sign::kRdmaFailed);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].lasted, minutes(2));
}

TEST_F(NoteSigns, SayThatRdmaFailedAlsoWhereItsProofIsTooOldForTheRecord) {
  auto& rail = now_.around.rails.front();
  rail.tried = now_.pass_at;
  rail.rdma = false;
  next();
  EXPECT_THAT(signs(Sign::kRdmaFailed), SizeIs(1));
}

TEST_F(NoteSigns, OfAPeerThatStartedAgainAreNoFailureOfRdma) {
  auto& rail = now_.around.rails.front();
  rail.tried = now_.pass_at;
  next();
  rail.rdma = false;  // its proof was of the boot before
  next();
  rail.tried = now_.pass_at;
  next();
  EXPECT_THAT(signs(Sign::kRdmaFailed), IsEmpty());
}

TEST_F(NoteSigns, SayWhenACableWasHotAndALinkPaused) {
  now_.hardware.at = now_.pass_at;
  now_.hardware.signs = {{"module", link_, true, "the cable's module is hot", "give it air"},
                         {"pause", link_, true, "paused", "find the end"},
                         {"kernel", "", true, "a known fault", "boot another"}};
  next();
  EXPECT_THAT(log_.record().signs, SizeIs(2));
  now_.hardware.at = now_.pass_at;
  now_.hardware.signs[0].is_fault = false;
  next();
  EXPECT_EQ(signs(Sign::kHeat)[0].lasted, minutes(1));
  EXPECT_EQ(signs(Sign::kPause)[0].lasted, std::nullopt);
}

TEST_F(NoteSigns, SayThatAnotherFileIsInForce) {
  now_.file.digest = "another";
  now_.file.since = now_.pass_at;
  next();
  ASSERT_THAT(signs(Sign::kChanged), SizeIs(1));
  EXPECT_EQ(signs(Sign::kChanged)[0].text, "another file is in force");
}

TEST_F(NoteSigns, SayOnceThatARailSendsAgainWhileAJobRuns) {
  now_.jobs.running = 1;
  now_.jobs.rails = {{.link = link_}};
  const auto look = [this](double sent_again) {
    now_.jobs.at = now_.pass_at;
    now_.jobs.rails[0].sent_again = sent_again;
    next();
  };
  look(0);
  EXPECT_THAT(log_.record().signs, IsEmpty());
  look(3);
  look(2);
  look(0);
  const auto found = signs(Sign::kSentAgain);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].text, "3 a second");
  EXPECT_EQ(found[0].lasted, minutes(2));
}

TEST(NoteStart, SaysOnceThatTheMachineStartedSinceTheRecord) {
  jobs::SignLog log;
  const Moment now = daemon::test_now();
  note_start(log, now);
  EXPECT_THAT(log.record().signs, IsEmpty()) << "nothing is known of before";
  log.begin(now.wall - now.boot - hours(1));
  note_start(log, now);
  note_start(log, later(now, minutes(5)));
  ASSERT_THAT(log.record().signs, SizeIs(1));
  EXPECT_EQ(log.record().signs[0].sign, Sign::kNodeStarted);
  EXPECT_EQ(log.record().signs[0].at, now.wall - now.boot);
}

TEST(NoteStart, SaysNothingOfADaemonThatStartsAgain) {
  jobs::SignLog log;
  const Moment now = daemon::test_now();
  log.begin(now.wall - minutes(1));
  note_start(log, now);
  EXPECT_THAT(log.record().signs, IsEmpty());
}

}  // namespace
}  // namespace spark::node_state
