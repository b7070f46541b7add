#include "protocol/problem.hpp"

#include <string>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"

namespace spark::protocol {
namespace {

using nlohmann::json;

Problem some_problem() {
  return {.id = "SR-GATE-016",
          .name = "cabling",
          .detail = Detail::kWrongEnd,
          .link = "enp1s0f0np0",
          .subject = "/data",
          .peers = {"spark2", "spark3"},
          .plug = Plug{.node = "spark3", .cage = 1},
          .macs = {"02:00:00:00:00:01"},
          .measured = "the cable in spark1:0 leads to spark3:1, the file says to spark2:0"};
}

TEST(Problem, ComesBackFromJsonAsItWas) {
  for (const auto& problem : {some_problem(), Problem{.id = "SR-GATE-010", .name = "rails"}}) {
    const auto read = value_from<Problem>(TextJsonWriter::write(problem));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, problem);
  }
}

TEST(Problem, TellsNothingThatItDoesNotHave) {
  EXPECT_EQ(TextJsonWriter::write(Problem{.id = "SR-GATE-010", .name = "rails", .measured = "x"}),
            json({{"id", "SR-GATE-010"}, {"name", "rails"}, {"measured", "x"}}));
}

TEST(Problem, OfANewerVersionIsKeptWithoutTheDetailThatThisOneDoesNotKnow) {
  auto told = TextJsonWriter::write(some_problem());
  told["id"] = "SR-GATE-999";
  told["severity"] = "grave";
  for (const json& detail : {json("upside_down"), json(7), json()}) {
    told["detail"] = detail;
    const auto read = value_from<Problem>(told);
    ASSERT_TRUE(read) << read.error().what;
    auto expected = some_problem();
    expected.id = "SR-GATE-999";
    expected.detail.reset();
    EXPECT_EQ(*read, expected);
  }
}

TEST(Problem, IsASentenceWithItsLinkOrWithoutAny) {
  EXPECT_EQ(Problem({.name = "mtu", .link = "eth0", .measured = "1500"}).text(),
            "mtu of eth0: 1500");
  EXPECT_EQ(Problem({.name = "rails", .measured = "none"}).text(), "rails: none");
}

}  // namespace
}  // namespace spark::protocol
