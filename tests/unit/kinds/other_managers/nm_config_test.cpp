#include "kinds/other_managers/nm_config.hpp"

#include <fstream>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "fake/fake_host.hpp"

namespace spark::kinds {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kNmOurs = "/etc/NetworkManager/conf.d/90-spark-reconcile.conf";
const std::map<std::string, std::string> kNmWords{{"@A", "enp1s0f1np1"},
                                                  {"@B", "enP2p1s0f1np1"},
                                                  {"@LAN", "enP7s7"},
                                                  {"@MAC_A", "02:00:5E:10:00:01"},
                                                  {"@DRIVER", "mlx5_core"}};

std::string filled(std::string text) {
  for (const auto& [word, value] : kNmWords) {
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word)) {
      text.replace(at, word.size(), value);
    }
  }
  return text;
}

std::string path_of(const std::string& name) {
  if (name == "main") return "/etc/NetworkManager/NetworkManager.conf";
  const auto folder = name.substr(0, name.find('/'));
  return (folder == "usr" ? "/usr/lib" : "/" + folder) + "/NetworkManager/conf.d" +
         name.substr(name.find('/'));
}

/// What these files say of a device that our file names, and of the LAN, which it does not.
class NmConfig : public testing::Test {
 protected:
  NmConfig() { host_.files().put("/etc/NetworkManager/NetworkManager.conf", "[main]\n"); }

  NmAnswer asked(const std::string& word) {
    auto ports = host_.host();
    host::View view(ports);
    const auto files = nm_config_files(view, kNmOurs,
                                       filled("[keyfile]\nunmanaged-devices+=interface-name:@B;"
                                              "interface-name:@A\n"));
    EXPECT_TRUE(files) << files.error().what;
    return asked_of_nm_config(*files,
                              {.name = filled(word),
                               .mac = word == "@A" ? "02:00:5e:10:00:01" : "02:00:5e:10:00:02",
                               .driver = [] { return "mlx5_core"; }});
  }

  test::FakeHost host_;
};

TEST_F(NmConfig, AnswersAsNetworkManager) {
  const auto cases =
      YAML::LoadFile(SPARK_SOURCE_DIR "/tests/unit/kinds/other_managers/nm_config.yaml");
  EXPECT_GE(cases.size(), 40U);
  for (const auto& one : cases) {
    SCOPED_TRACE(one["name"].as<std::string>());
    for (const auto& file : one["files"]) {
      host_.files().put(path_of(file.first.as<std::string>()),
                        filled(file.second.as<std::string>()));
    }
    const auto alone = " " + one["alone"].as<std::string>() + " ";
    for (const auto* word : {"@A", "@B", "@LAN"}) {
      const bool wanted = alone.contains(" " + std::string(word).substr(1) + " ");
      const auto answer = asked(word);
      EXPECT_EQ(answer.leaves_alone, wanted) << word;
      // Who takes a rail is named: nothing else does.
      if (!wanted && std::string(word) != "@LAN") {
        EXPECT_THAT(answer.decided_by, HasSubstr(".conf:")) << word;
      }
    }
    for (const auto& file : one["files"])
      host_.files().erase(path_of(file.first.as<std::string>()));
    host_.files().put("/etc/NetworkManager/NetworkManager.conf", "[main]\n");
  }
}

TEST_F(NmConfig, NamesTheLineThatTakesTheDevice) {
  host_.files().put(path_of("etc/95-a.conf"), "# mine\n\n[keyfile]\nunmanaged-devices=none\n");
  host_.files().put(path_of("etc/96-b.conf"), "[keyfile]\nunmanaged-devices+=docker0\n");
  EXPECT_THAT(asked("@A").decided_by, EndsWith("/etc/NetworkManager/conf.d/95-a.conf:4"));
  host_.files().put(path_of("run/20-c.conf"),
                    "[main]\nplugins=keyfile\n[keyfile]\nunmanaged-devices=*,except:enP7s7,"
                    "except:interface-name:enp1s0f1np1\n");
  host_.files().erase(path_of("etc/95-a.conf"));
  EXPECT_THAT(asked("@A").decided_by, EndsWith("/run/NetworkManager/conf.d/20-c.conf:4"));
}

TEST_F(NmConfig, KeepsNothingElseOfTheseFiles) {
  host_.files().put(path_of("etc/99-x.conf"),
                    "[connection]\nvpn.secret=swordfish\n[keyfile]\nunmanaged-devices=none\n");
  auto ports = host_.host();
  host::View view(ports);
  ASSERT_TRUE(nm_config_files(view, kNmOurs, ""));
  EXPECT_THAT(view.to_json(), Not(HasSubstr("swordfish")));
  EXPECT_THAT(view.to_json(), HasSubstr("unmanaged-devices=none"));
}

}  // namespace
}  // namespace spark::kinds
