#include <array>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/yaml/advice.hpp"

namespace spark::config {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Keys = std::array<std::string_view, 1>;

constexpr Keys kOfLink{"owner"};
constexpr Keys kOfCable{"ends"};
constexpr Keys kOfRoce{"rdma_cm_mode"};
constexpr Keys kOfMount{"namespace"};
constexpr Keys kOfTop{"cluster"};
constexpr Keys kOfAgentFile{"token_file"};

std::string advice_of(std::string_view key, const Keys& keys_here) {
  const Value map{.kind = Value::Kind::kMap, .children = {{.key = std::string(key)}}};
  return advice_on_key(map.children.front(), map, keys_here).text;
}

TEST(KeyAdvice, HasTheReasonAndTheWay) {
  EXPECT_THAT(advice_of("pfc", kOfCable), HasSubstr("NCCL_IB_TC"));
  EXPECT_THAT(advice_of("nfs", kOfTop), HasSubstr("/etc/fstab"));
  EXPECT_THAT(advice_of("NCCL_DEBUG", kOfTop), HasSubstr("environment: { variables: {"));
  EXPECT_THAT(advice_of("net.core.rmem_max", kOfTop), HasSubstr("under 'sysctl'"));
}

TEST(KeyAdvice, TellsByTheMapWhatIsMeant) {
  EXPECT_THAT(advice_of("types", kOfRoce), HasSubstr("rdma_cm_mode: v2"));
  EXPECT_THAT(advice_of("types", kOfMount), IsEmpty());
  EXPECT_THAT(advice_of("routes", kOfCable), Not(HasSubstr("LAN")));
  EXPECT_THAT(advice_of("routes", kOfLink), HasSubstr("LAN"));
  EXPECT_THAT(advice_of("alerts", kOfTop), HasSubstr("agent.yaml"));
  EXPECT_THAT(advice_of("nodes", kOfAgentFile), HasSubstr("cluster.yaml"));
}

TEST(KeyAdvice, KnowsAKeyHoweverItIsSpelt) {
  EXPECT_EQ(advice_of("Accept-RA", kOfLink), advice_of("accept_ra", kOfLink));
  EXPECT_THAT(advice_of("accept_ra", kOfLink), Not(IsEmpty()));
}

TEST(KeyAdvice, SaysNothingOfOtherKeys) {
  for (const auto* key : {"mtuu", "adresses", "", " ", "rout"}) {
    EXPECT_THAT(advice_of(key, kOfLink), IsEmpty()) << key;
  }
}

}  // namespace
}  // namespace spark::config
