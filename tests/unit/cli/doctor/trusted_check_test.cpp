#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/doctor/checks.hpp"
#include "fake/fake_cluster.hpp"
#include "protocol/paths.hpp"
#include "unit/cli/doctor/asked.hpp"

namespace spark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string key_of(const std::string& node) {
  return node + " ed25519 " + std::string(43, 'A') + "=\n";
}

/// spark1 of a file with these other nodes, with those keys.
Findings trusted_with(const std::string& others, const std::string& keys) {
  test::FakeHost machine;
  test::add_spark(machine);
  machine.files().put(protocol::kDefaultFile,
                      "version: 1\ncluster: lab\nnodes: { spark1: {}" + others + " }\n");
  if (!keys.empty()) machine.files().put(protocol::kTrustedFile, keys);
  return asked(check_trusted_keys, machine);
}

TEST(TrustedCheck, SaysWhatIsMissingForAllNodes) {
  const std::string two = ", spark2: {}, spark3: {}";
  EXPECT_THAT(trusted_with("", key_of("spark2")), IsEmpty()) << "the only node";
  EXPECT_THAT(trusted_with(two, ""),
              ElementsAre(says("trusted", Severity::kGood, "no key of another node is known")));
  EXPECT_THAT(trusted_with(two, key_of("spark2")),
              ElementsAre(says("trusted", Severity::kLook, "no key of spark3 is known")));
  EXPECT_THAT(trusted_with(two, key_of("spark2") + key_of("spark3")),
              ElementsAre(says("trusted", Severity::kGood, "keys of all 2 other nodes are known")));
  EXPECT_THAT(trusted_with(", spark2: {}, spark3: { away: true }", key_of("spark2")),
              ElementsAre(says("trusted", Severity::kGood, "the key of spark2 is known")));
}

TEST(TrustedCheck, NamesAKeyOfNobodyAndALineThatIsNoKey) {
  EXPECT_THAT(trusted_with(", spark2: {}", key_of("spark2") + key_of("spark9")),
              ElementsAre(says("trusted", Severity::kGood, "spark2"),
                          says("trusted", Severity::kLook, "the file has no node 'spark9'")));
  EXPECT_THAT(trusted_with(", spark2: {}", "spark2\n"),
              ElementsAre(says("trusted", Severity::kLook, "no key of another node counts")));
}

}  // namespace
}  // namespace spark::cli
