#include "host/linux/helper_probe.hpp"

#include <gtest/gtest.h>

namespace spark::host {
namespace {

TEST(RegistrationReport, IsReadAsTheProbePrintsIt) {
  const auto report = parse_registration_report(
      R"({"registered":false,"limit":18446744073709551615,"failed":"ibv_reg_mr",)"
      R"("error_number":12,"why":"Cannot allocate memory"})");
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->registered);
  EXPECT_EQ(report->limit, UINT64_MAX);
  EXPECT_EQ(report->failed, "ibv_reg_mr");
  EXPECT_EQ(report->error_number, 12);
}

TEST(RegistrationReport, IsRefusedWhereItIsNone) {
  for (const auto* text :
       {"", "{}", "[]", R"({"registered":true,"limit":"all"})", "usage: spark-verbs-probe"}) {
    EXPECT_FALSE(parse_registration_report(text)) << text;
  }
}

}  // namespace
}  // namespace spark::host
