#include "kinds/storage/other_connectors.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"

namespace spark::kinds {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kModels = "nqn.2014-08.org.example:models";

class OtherConnectors : public testing::Test {
 protected:
  std::vector<LeftUnchanged> found() {
    auto ports = host_.host();
    host::View view(ports);
    auto connectors = other_connectors(view, {{.nqn = kModels, .address = "203.0.113.100"}});
    EXPECT_THAT(view.to_json(), Not(HasSubstr("swordfish")));
    return connectors;
  }

  /// As `systemctl enable`.
  void enable(const std::string& unit) {
    host_.files().put("/etc/systemd/system/multi-user.target.wants/" + unit, "");
  }

  test::FakeHost host_;
};

auto at(const std::string& place) { return Field(&LeftUnchanged::what, place); }

TEST_F(OtherConnectors, ALineOfDiscoveryConfIsNamedWhereItsUnitIsEnabled) {
  for (const auto* line :
       {"-t tcp -a 203.0.113.100 -s 4420 --ctrl-loss-tmo=1800",
        "--transport=tcp --traddr=203.0.113.100",
        "-t tcp -a 203.0.113.100 -n nqn.2014-08.org.example:models --dhchap-secret=swordfish"}) {
    host_.files().put("/etc/nvme/discovery.conf", std::string("# mine\n") + line + "\n");
    host_.files().erase("/etc/systemd/system/multi-user.target.wants/nvmf-autoconnect.service");
    EXPECT_THAT(found(), IsEmpty()) << "nobody reads it";
    enable("nvmf-autoconnect.service");
    EXPECT_THAT(found(), ElementsAre(AllOf(
                             at("/etc/nvme/discovery.conf:2"),
                             Field(&LeftUnchanged::reason, HasSubstr("nvmf-autoconnect.service")))))
        << line;
  }
  for (const auto* line : {"#-t tcp -a 203.0.113.100", "-t tcp -a 203.0.113.101",
                           "-t tcp -a 203.0.113.100 -n nqn.2014-08.org.example:other"}) {
    host_.files().put("/etc/nvme/discovery.conf", line);
    EXPECT_THAT(found(), IsEmpty()) << line;
  }
}

TEST_F(OtherConnectors, ATargetOfConfigJsonIsNamedWithItsLine) {
  enable("nvmf-autoconnect.service");
  host_.files().put(
      "/etc/nvme/config.json",
      "[ { \"dhchap_key\": \"swordfish\",\n \"subsystems\": [ {\n  \"nqn\": "
      "\"nqn.2014-08.org.example:models\",\n  \"ports\": [ { \"transport\": \"tcp\",\n"
      "   \"traddr\": \"203.0.113.100\", \"trsvcid\": \"4420\" } ] } ] } ]\n");
  EXPECT_THAT(found(), ElementsAre(at("/etc/nvme/config.json:5")));
  for (const auto* text :
       {"", "{}", "[1, {\"subsystems\": 7}]", "[{\"subsystems\": [null]}]", "[["}) {
    host_.files().put("/etc/nvme/config.json", text);
    EXPECT_THAT(found(), IsEmpty()) << text;
  }
}

TEST_F(OtherConnectors, WhatStasConnectsAndDisconnectsIsNamed) {
  enable("stacd.service");
  host_.files().put("/etc/stas/stacd.conf",
                    "[I/O controller connection management]\n"
                    "disconnect-scope = all-connections-matching-disconnect-trtypes\n"
                    "disconnect-trtypes = tcp\n[Controllers]\n"
                    "controller = transport=tcp;traddr=203.0.113.100;trsvcid=4420;"
                    "nqn=nqn.2014-08.org.example:models\n");
  EXPECT_THAT(found(), ElementsAre(at("/etc/stas/stacd.conf:2"), at("/etc/stas/stacd.conf:5")));
  host_.files().put("/etc/stas/stacd.conf",
                    "[I/O controller connection management]\n"
                    "disconnect-scope = only-stas-connections\n");
  EXPECT_THAT(found(), IsEmpty());
}

}  // namespace
}  // namespace spark::kinds
