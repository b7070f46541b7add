#include "host/unit_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"

namespace spark::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class UnitFiles : public testing::Test {
 protected:
  Result<std::vector<UnitSetting>> read(const std::string& unit) {
    return read_unit_settings(host_.files(), unit, "LimitMEMLOCK");
  }
  void put(const std::string& path, const std::string& text) { host_.files().put(path, text); }

  test::FakeHost host_;
};

TEST_F(UnitFiles, ReadsTheUnitAndThenItsDropInsByName) {
  put("/usr/lib/systemd/system/a.service", "[Unit]\nLimitMEMLOCK=1\n[Service]\nLimitMEMLOCK = 2\n");
  put("/etc/systemd/system/a.service.d/90-b.conf", "[Service]\nLimitMEMLOCK=4\n");
  put("/run/systemd/system/a.service.d/10-a.conf", "# c\n[Service]\nLimitMEMLOCK=\n");
  EXPECT_THAT(*read("a.service"),
              ElementsAre(UnitSetting{"2", "/usr/lib/systemd/system/a.service", 4},
                          UnitSetting{"", "/run/systemd/system/a.service.d/10-a.conf", 3},
                          UnitSetting{"4", "/etc/systemd/system/a.service.d/90-b.conf", 2}));
}

TEST_F(UnitFiles, LetsEtcHideTheDistributions) {
  put("/usr/lib/systemd/system/a.service", "[Service]\nLimitMEMLOCK=1\n");
  put("/etc/systemd/system/a.service", "[Service]\nType=simple\n");
  EXPECT_THAT(*read("a.service"), IsEmpty());
}

TEST_F(UnitFiles, ReadsTheTemplateOfAnInstance) {
  put("/usr/lib/systemd/system/a@.service", "[Service]\nLimitMEMLOCK=1\n");
  put("/etc/systemd/system/a@.service.d/b.conf", "[Service]\nLimitMEMLOCK=2\n");
  EXPECT_EQ(read("a@x.service")->size(), 2U);
}

TEST_F(UnitFiles, KnowsAUnitThatIsNotThere) {
  EXPECT_EQ(read("a.service").error().code, ErrorCode::kNotFound);
}

TEST(DropInDirectories, AreThoseOfTheNameItsTemplateItsPrefixesAndItsType) {
  EXPECT_THAT(drop_in_directories("a-b-c@d.service"),
              ElementsAre("a-b-c@d.service.d", "a-b-c@.service.d", "a-b-.service.d", "a-.service.d",
                          "service.d"));
}

}  // namespace
}  // namespace spark::host
