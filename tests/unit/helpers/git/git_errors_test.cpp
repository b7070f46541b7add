#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "helpers/git/fault.hpp"

namespace spark::helpers {
namespace {

// What git 2.39, libcurl and OpenSSH 9.2 said in tests/git/run.
TEST(FaultOfFetch, KnowsTheWordsOfGit) {
  for (const auto& [words, id] : {
           std::pair{"No ED25519 host key is known for source and you have requested strict "
                     "checking.\nHost key verification failed.\n",
                     GitId::kHostKey},
           std::pair{"fatal: unable to access 'https://x/': server certificate verification "
                     "failed. CAfile: none CRLfile: none\n",
                     GitId::kCertificate},
           std::pair{"fatal: unable to access 'https://x/': SSL: certificate subject name (a) does "
                     "not match target host name 'b'\n",
                     GitId::kCertificate},
           std::pair{"fatal: unable to access 'https://x/': The requested URL returned error: 302",
                     GitId::kRedirect},
           std::pair{"fatal: unable to access 'https://x/': The requested URL returned error: 403",
                     GitId::kNoAccess},
           std::pair{"fatal: could not read Username for 'https://x': terminal prompts disabled",
                     GitId::kNoAccess},
           std::pair{"root@x: Permission denied (publickey).\nfatal: Could not read from remote "
                     "repository.\n",
                     GitId::kNoAccess},
           std::pair{"fatal: couldn't find remote ref refs/heads/main\n", GitId::kNoBranch},
           std::pair{"fatal: write error: File too large\nfatal: fetch-pack: invalid index-pack "
                     "output\n",
                     GitId::kTooLarge},
           std::pair{"fatal: Out of memory, malloc failed (tried to allocate 1073741825 bytes)",
                     GitId::kTooLarge},
           std::pair{"error: index-pack died of signal 9\n", GitId::kTooLarge},
           std::pair{"fatal: unable to access 'https://x/': Operation too slow. Less than 1000 "
                     "bytes/sec transferred the last 30 seconds",
                     GitId::kTooSlow},
           std::pair{"Connection timed out during banner exchange\r\n", GitId::kTooSlow},
           std::pair{"error: object 1: missingEmail: invalid author\nfatal: fsck error in packed "
                     "object\nfatal: fetch-pack: invalid index-pack output\n",
                     GitId::kCorrupt},
           std::pair{"fatal: protocol error: bad pack header\n", GitId::kCorrupt},
           std::pair{"error: https://x did not send all necessary objects\n", GitId::kCorrupt},
           std::pair{"fatal: unable to access 'https://x/': The requested URL returned error: 500",
                     GitId::kUnreachable},
           std::pair{"", GitId::kUnreachable},
       }) {
    EXPECT_EQ(fault_of_fetch(words, "https://x").id, id) << words;
  }
}

TEST(FaultOfFetch, SaysWhatGitSaidLastAndNotItsAdvice) {
  EXPECT_EQ(fault_of_fetch("warning: a\nfatal: the reason\nfatal: Could not read from remote "
                           "repository.\n\nPlease make sure you have the correct access rights\n"
                           "and the repository exists.\n",
                           "ssh://x")
                .what,
            "could not fetch from 'ssh://x': fatal: the reason");
  EXPECT_EQ(fault_of_fetch("\n", "ssh://x").what,
            "could not fetch from 'ssh://x': git says nothing");
}

TEST(FaultOfFetch, LetsNoControlCharacterOfAServerThrough) {
  const auto fault = fault_of_fetch("remote: \x1b[2J\a" + std::string(1000, 'x'), "ssh://x");
  EXPECT_EQ(fault.what.find('\x1b'), std::string::npos);
  EXPECT_EQ(fault.what.find('\a'), std::string::npos);
  EXPECT_LT(fault.what.size(), 400U);
}

}  // namespace
}  // namespace spark::helpers
