#include "plan/free_subnet.hpp"

#include <vector>

#include <gmock/gmock.h>

namespace spark::plan {
namespace {

using ::testing::ElementsAre;

IpPrefix prefix(const char* text) { return *IpPrefix::parse(text); }

TEST(SubnetsToAvoid, AreThoseThatAFileCouldChooseEachOnce) {
  const std::vector<IpPrefix> used{prefix("192.168.177.5/24"), prefix("192.168.177.9/24"),
                                   prefix("192.168.1.7/24"),   prefix("10.0.0.0/8"),
                                   prefix("172.17.0.0/16"),    prefix("fe80::1/64")};
  EXPECT_THAT(subnets_to_avoid(used),
              ElementsAre(prefix("10.0.0.0/8"), prefix("192.168.177.0/24")));
}

TEST(SubnetsToAvoid, SayAllThatFreeSubnetNeedsToKnow) {
  const std::vector<IpPrefix> used{prefix("192.168.177.0/24"), prefix("192.168.178.64/26"),
                                   prefix("198.51.100.0/24")};
  EXPECT_EQ(free_subnet(subnets_to_avoid(used)), free_subnet(used));
  EXPECT_EQ(free_subnet(used), prefix("192.168.179.0/24"));
}

}  // namespace
}  // namespace spark::plan
