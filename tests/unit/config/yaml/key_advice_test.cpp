#include "config/yaml/key_advice.hpp"

#include <array>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(KeyAdvice, HasTheReasonAndTheWay) {
  EXPECT_THAT(advice_on_key("pfc", kOfCable), HasSubstr("NCCL_IB_TC"));
  EXPECT_THAT(advice_on_key("nfs", kOfTop), HasSubstr("/etc/fstab"));
  EXPECT_THAT(advice_on_key("NCCL_DEBUG", kOfTop), HasSubstr("environment: { variables: {"));
  EXPECT_THAT(advice_on_key("net.core.rmem_max", kOfTop), HasSubstr("under 'sysctl'"));
}

TEST(KeyAdvice, TellsByTheMapWhatIsMeant) {
  EXPECT_THAT(advice_on_key("types", kOfRoce), HasSubstr("rdma_cm_mode: v2"));
  EXPECT_THAT(advice_on_key("types", kOfMount), IsEmpty());
  EXPECT_THAT(advice_on_key("routes", kOfCable), Not(HasSubstr("LAN")));
  EXPECT_THAT(advice_on_key("routes", kOfLink), HasSubstr("LAN"));
  EXPECT_THAT(advice_on_key("alerts", kOfTop), HasSubstr("agent.yaml"));
  EXPECT_THAT(advice_on_key("nodes", kOfAgentFile), HasSubstr("cluster.yaml"));
}

TEST(KeyAdvice, KnowsAKeyHoweverItIsSpelt) {
  EXPECT_EQ(advice_on_key("Accept-RA", kOfLink), advice_on_key("accept_ra", kOfLink));
  EXPECT_THAT(advice_on_key("accept_ra", kOfLink), Not(IsEmpty()));
}

TEST(KeyAdvice, SaysNothingOfOtherKeys) {
  for (const auto* key : {"mtuu", "adresses", "", " ", "rout"}) {
    EXPECT_THAT(advice_on_key(key, kOfLink), IsEmpty()) << key;
  }
}

}  // namespace
}  // namespace spark::config
