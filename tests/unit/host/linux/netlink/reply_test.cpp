#include "host/linux/netlink/reply.hpp"

#include <cerrno>

#include <gtest/gtest.h>
#include <linux/rtnetlink.h>

#include "unit/host/linux/netlink/netlink_bytes.hpp"

namespace spark::host {
namespace {

constexpr std::uint32_t kSequence = 7;

nlmsgerr error_with(int code) {
  nlmsgerr error{};
  error.error = code;
  error.msg.nlmsg_len = sizeof(nlmsghdr);
  return error;
}

NetlinkBytes nack(int code, int flags = NLM_F_CAPPED) {
  return {NLMSG_ERROR, error_with(code), flags, kSequence};
}

struct Answer {
  ReplyProgress progress;
  int taken = 0;
};

Answer read(NetlinkBytes bytes) {
  Answer answer;
  answer.progress =
      read_reply(bytes.datagram(), kSequence, [&](const nlmsghdr&) { ++answer.taken; });
  return answer;
}

TEST(NetlinkReply, ANegativeErrnoIsARefusal) {
  const auto answer = read(nack(-EPERM));
  EXPECT_TRUE(answer.progress.finished);
  EXPECT_EQ(answer.progress.failure, (NetlinkFailure{EPERM, ""}));
}

TEST(NetlinkReply, ZeroIsTheAck) {
  const auto answer = read(nack(0));
  EXPECT_TRUE(answer.progress.finished);
  EXPECT_FALSE(answer.progress.failure);
}

TEST(NetlinkReply, APositiveCodeIsNoAck) {
  EXPECT_EQ(read(nack(EPERM)).progress.failure, (NetlinkFailure{EBADMSG, ""}));
}

TEST(NetlinkReply, ACodeThatNoErrnoHasIsNoAck) {
  EXPECT_EQ(read(nack(-4096)).progress.failure, (NetlinkFailure{EBADMSG, ""}));
  EXPECT_EQ(read(nack(INT32_MIN)).progress.failure, (NetlinkFailure{EBADMSG, ""}));
}

TEST(NetlinkReply, AnErrorWithoutACodeIsNoAck) {
  auto bytes = nack(0);
  bytes.cut(sizeof(nlmsghdr) + 2);
  EXPECT_EQ(read(bytes).progress.failure, (NetlinkFailure{EBADMSG, ""}));
}

TEST(NetlinkReply, ARefusalCarriesTheTextOfItsExtendedAck) {
  auto bytes = nack(-EINVAL, NLM_F_CAPPED | NLM_F_ACK_TLVS);
  bytes.put_text(NLMSGERR_ATTR_MSG, "mtu greater than device maximum");
  bytes.put(NLMSGERR_ATTR_OFFS, std::uint32_t{32});
  EXPECT_EQ(read(bytes).progress.failure,
            (NetlinkFailure{EINVAL, "mtu greater than device maximum"}));
}

TEST(NetlinkReply, TheTextStandsBehindARequestThatIsRepeatedWhole) {
  auto error = error_with(-EINVAL);
  error.msg.nlmsg_len = sizeof(nlmsghdr) + sizeof(ifinfomsg);
  NetlinkBytes bytes(NLMSG_ERROR, error, NLM_F_ACK_TLVS, kSequence);
  const ifinfomsg repeated{};
  bytes.append(&repeated, sizeof(repeated));
  bytes.put_text(NLMSGERR_ATTR_MSG, "no");
  EXPECT_EQ(read(bytes).progress.failure, (NetlinkFailure{EINVAL, "no"}));
}

TEST(NetlinkReply, ARepeatedRequestThatWouldBeLongerThanTheMessageHidesNoRefusal) {
  auto error = error_with(-EINVAL);
  error.msg.nlmsg_len = 0xFFFFFFF0;
  EXPECT_EQ(read(NetlinkBytes(NLMSG_ERROR, error, NLM_F_ACK_TLVS, kSequence)).progress.failure,
            (NetlinkFailure{EINVAL, ""}));
}

TEST(NetlinkReply, ATextWithoutEndIsLeftOut) {
  auto bytes = nack(-EINVAL, NLM_F_CAPPED | NLM_F_ACK_TLVS);
  bytes.put(NLMSGERR_ATTR_MSG, {'n', 'o', 't', '!'});
  EXPECT_EQ(read(bytes).progress.failure, (NetlinkFailure{EINVAL, ""}));
}

TEST(NetlinkReply, TheEndOfADumpMayRefuseIt) {
  NetlinkBytes bytes(NLMSG_DONE, int{-ENOENT}, NLM_F_MULTI | NLM_F_ACK_TLVS, kSequence);
  bytes.put_text(NLMSGERR_ATTR_MSG, "FIB table does not exist");
  EXPECT_EQ(read(bytes).progress.failure, (NetlinkFailure{ENOENT, "FIB table does not exist"}));
}

TEST(NetlinkReply, ADumpGoesOnUntilItsEnd) {
  const auto row = read({RTM_NEWLINK, ifinfomsg{}, NLM_F_MULTI, kSequence});
  EXPECT_FALSE(row.progress.finished);
  EXPECT_EQ(row.taken, 1);
  EXPECT_TRUE(read({NLMSG_DONE, int{0}, NLM_F_MULTI, kSequence}).progress.finished);
}

TEST(NetlinkReply, AnInterruptedDumpIsTold) {
  EXPECT_TRUE(read({RTM_NEWLINK, ifinfomsg{}, NLM_F_MULTI | NLM_F_DUMP_INTR, kSequence})
                  .progress.interrupted);
  EXPECT_TRUE(
      read({NLMSG_DONE, int{0}, NLM_F_MULTI | NLM_F_DUMP_INTR, kSequence}).progress.interrupted);
  EXPECT_FALSE(read({NLMSG_DONE, int{0}, NLM_F_MULTI, kSequence}).progress.interrupted);
}

TEST(NetlinkReply, TheAnswerToAnotherRequestIsSkipped) {
  const auto late = read({NLMSG_ERROR, error_with(-EPERM), NLM_F_CAPPED, kSequence - 1});
  EXPECT_FALSE(late.progress.finished);
  EXPECT_FALSE(late.progress.failure);
  EXPECT_EQ(read({RTM_NEWLINK, ifinfomsg{}, 0, kSequence + 1}).taken, 0);
}

TEST(NetlinkReply, AMessageThatIsCutOffIsNotTaken) {
  NetlinkBytes bytes(RTM_NEWLINK, ifinfomsg{}, NLM_F_MULTI, kSequence);
  auto datagram = bytes.datagram();
  int taken = 0;
  const auto progress =
      read_reply(datagram.first(datagram.size() - 4), kSequence, [&](const nlmsghdr&) { ++taken; });
  EXPECT_EQ(taken, 0);
  EXPECT_FALSE(progress.finished);
}

TEST(NetlinkReply, AnOverrunIsAFailure) {
  EXPECT_EQ(read({NLMSG_OVERRUN, int{0}, 0, kSequence}).progress.failure,
            (NetlinkFailure{ENOBUFS, ""}));
}

}  // namespace
}  // namespace spark::host
