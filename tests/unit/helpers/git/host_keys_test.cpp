#include "helpers/git/host_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::helpers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(HostKeys, HaveTheOneThatSshPrefersFirst) {
  EXPECT_THAT(
      host_keys_in("# git.example.org:22 SSH-2.0-OpenSSH_9.2p1\n"
                   "git.example.org ssh-rsa AAAAB3Nz\n"
                   "git.example.org ecdsa-sha2-nistp256 AAAAE2Vj\n"
                   "git.example.org ssh-ed25519 AAAAC3Nz\n"),
      ElementsAre("ssh-ed25519 AAAAC3Nz", "ecdsa-sha2-nistp256 AAAAE2Vj", "ssh-rsa AAAAB3Nz"));
}

TEST(HostKeys, AreOfTheFormOfAKeyAndOneOfEachSort) {
  EXPECT_THAT(host_keys_in("[git.example.org]:2222 ssh-ed25519 AAAA\n"
                           "[git.example.org]:2222 ssh-ed25519 BBBB\n"
                           "a ssh-rsa AAAA and a comment\n"
                           "a ssh-rsa \x1b[2J\n"
                           "a sk-ssh-ed25519@openssh.com AAAA\n"),
              ElementsAre("ssh-ed25519 AAAA"));
  EXPECT_THAT(host_keys_in(""), IsEmpty());
  EXPECT_THAT(host_keys_in("ssh-ed25519\n"), IsEmpty());
}

}  // namespace
}  // namespace spark::helpers
