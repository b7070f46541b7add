#include <gtest/gtest.h>

#include "config/yaml/read_scalar.hpp"

namespace spark::config {
namespace {

TEST(LooksTyped, KnowsTheWordsOfYaml) {
  for (const char* text : {"", "~", "null", "NULL", "yes", "No", "on", "OFF", "y", "N", "true",
                           "False", "<<", "=", ".nan", ".inf", "-.INF"}) {
    EXPECT_TRUE(looks_typed(text)) << text;
  }
}

TEST(LooksTyped, KnowsTheNumbersOfYaml) {
  for (const char* text : {"0",    "42",    "-1",       "+7",           "0755",
                           "08",   "0o17",  "0x1F",     "0b101",        "1_000",
                           "1.5",  ".5",    "5.",       "-1.5e-3",      "1e5",
                           "00e1", "12:30", "12:30:45", "190:20:30.15", "1:2:3:4:5:6:7:8"}) {
    EXPECT_TRUE(looks_typed(text)) << text;
  }
}

TEST(LooksTyped, KnowsDates) {
  for (const char* text : {"2001-12-14", "2001-1-1", "2001-12-14T21:59:43Z", "2001-12-14 21:59"}) {
    EXPECT_TRUE(looks_typed(text)) << text;
  }
}

TEST(LooksTyped, LeavesTheTextsOfTheLanguageAlone) {
  for (const char* text : {"spark1",
                           "spark1:0",
                           "enp1s0f0np0",
                           "192.168.177.11",
                           "192.168.177.11/24",
                           "2001:db8::1",
                           "::1",
                           "200G",
                           "64Gb/s",
                           "20s",
                           "16GiB",
                           "unlimited",
                           "raid5-data",
                           "/mnt/data",
                           "-fabric",
                           "4096 87380 268435456",
                           "nvme-tcp",
                           "n1",
                           "e5",
                           "0f3c",
                           "1.2.3",
                           "none",
                           "_",
                           "-",
                           "2001-12",
                           "0x",
                           "0b2",
                           "1e",
                           "1:",
                           "12:ab"}) {
    EXPECT_FALSE(looks_typed(text)) << text;
  }
}

}  // namespace
}  // namespace spark::config
