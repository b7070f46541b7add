#include "host/process/helper_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::host {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kProgram = "/usr/local/libexec/spark-reconcile/spark-bus-call";

std::string why(const std::string& words, int status) {
  return why_not_started(kProgram, {.status = status, .out = "", .err = kProgram + words});
}

TEST(WhyNotStarted, NamesTheLibraryAndItsPackage) {
  EXPECT_EQ(why(": error while loading shared libraries: libsdbus-c++.so.1: cannot open shared "
                "object file: No such file or directory\n",
                127),
            "'/usr/local/libexec/spark-reconcile/spark-bus-call' does not start: error while "
            "loading shared libraries: libsdbus-c++.so.1: cannot open shared object file: No such "
            "file or directory; exit status 127. Install the package that has it: `apt-get install "
            "libsdbus-c++1`");
}

TEST(WhyNotStarted, PutsAHyphenAfterADigitAsDebianDoes) {
  EXPECT_THAT(why(": error while loading shared libraries: libnl-3.so.200: cannot open shared "
                  "object file: No such file or directory\n",
                  127),
              HasSubstr("`apt-get install libnl-3-200`"));
}

TEST(WhyNotStarted, PassesOnWhatElseTheLoaderSays) {
  const auto text = why(": /lib/libc.so.6: version `GLIBC_2.39' not found (required by x)\n", 1);
  EXPECT_THAT(text, HasSubstr("does not start: /lib/libc.so.6: version `GLIBC_2.39' not found"));
  EXPECT_THAT(text, HasSubstr("exit status 1"));
  EXPECT_THAT(text, Not(HasSubstr("apt-get")));
}

TEST(WhyNotStarted, HasAtLeastTheStatusOfOneThatSaysNothing) {
  EXPECT_THAT(why_not_started(kProgram, {.status = 139, .out = "", .err = ""}),
              HasSubstr("does not start: exit status 139"));
}

}  // namespace
}  // namespace spark::host
