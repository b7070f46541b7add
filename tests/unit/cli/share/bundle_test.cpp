// A bundle holds the listed members of documents, and nothing of whose machine it is.

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/share/fields.hpp"
#include "cli/share/shared_report.hpp"

namespace spark::cli {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

json documents_of_a_machine() {
  return json::parse(R"json({
    "schema": "spark-reconcile/bundle/v1", "names": "kept",
    "versions": {"program": "0.2.0", "kernel": "6.14.0-1015-nvidia", "dgx_os": "7.2.3", "gpu_driver": "580.95.05",
                 "cards": [{"link": "enp1s0f0np0", "driver": "mlx5_core", "driver_version": "",
                            "firmware": "28.45.4028 (NVD0000000087)"}]},
    "doctor": {"secret": "hunter2secret", "findings": [
      {"name": "told", "section": "cluster", "good": false, "severity": "look", "follows_from": null,
       "what": "gx10-ab12 told this 3 s ago, and has not answered since: connect to 198.51.100.9:9843: Connection refused",
       "remedy": "`sudo spark-reconcile doctor` on gx10-ab12"},
      {"name": "hnqn", "section": "cluster", "good": false, "severity": "look", "follows_from": null,
       "what": "the host NQN nqn.2014-08.org.nvmexpress:uuid:11112222-3333-4444-5555-666677778888 is also that of acmevault",
       "remedy": "see https://alice:opensesame@git.acmecorp.example/x.git?token=tulip-42."},
      {"name": "subnet", "section": "network", "good": false, "severity": "look", "follows_from": null,
       "what": "192.0.2.1/24 on enp1s0f0np0, a0:88:c2:01:02:03, and 2001:db8:1::7/64 on acme-vpn: node a088:c203:00d7:1b6c.",
       "remedy": "give one of the two a subnet of its own, not 192.0.2.200"}]},
    "plan": {"exit_code": 0, "version": "0.2.0", "node": "gx10-ab12", "file": "/home/alice/acme.yaml",
             "digest": "36bb589d07779084ae4c3f4bd12408be237e3a52be158e23905ac17d0ee11939", "findings": [],
             "in_sync": 3, "skipped": [], "left_unchanged": [], "refusals": [],
             "steps": [{"kind": "hosts", "key": "/etc/hosts", "before": null, "after": "192.0.2.2 gx10-ab12-fabric",
                        "left": null, "where": null, "disturbs": {"what": "nothing", "link": "", "promotes_secondaries": false}},
                       {"kind": "address", "key": "enp1s0f0np0 198.51.100.9", "before": null, "after": "/24"},
                       {"kind": "sysctl", "key": "net.ipv4.conf.enp1s0f0np0.arp_ignore", "before": "0", "after": "1"}]},
    "status": {"cluster": {"cluster": "acmecorp",
                 "file": {"name": "/srv/acmecorp/tulip.yaml", "digest": "36bb589d07779084ae4c3f4bd12408be237e3a52be158e23905ac17d0ee11939",
                          "commit": "0f1e2d3c4b5a69788796a5b4c3d2e1f001122334", "principal": "alice@lab.example"},
                 "nodes": [{"node": "gx10-ab12", "file": "36bb589d0777", "what": "asks alice"},
                           {"node": "acmevault", "told_by": "acmevault", "file": "36bb589d0777"}]}},
    "history": {"generations": [{"number": 4, "id": "1769851800000-4711", "at": "2026-01-31T09:30:00Z", "by": "alice",
                "file": "/etc/spark-reconcile/cluster.yaml", "digest": "36bb589d07779084", "changes": 2, "outcome": "applied",
                "commit": {"id": "zzcommit", "subject": "for Bob", "principal": "alice@lab", "tag": null,
                           "committed_at": "2026-01-31T09:00:00Z"}}]},
    "events": {"changes": [{"writer": "bob"}], "events": [
      {"at": "2026-01-31T09:30:01Z", "what": "applied_by_hand", "severity": "info",
       "text": "apply by hand, by alice: generation 4 of /srv/acmecorp/tulip.yaml, 2 changes: applied"}]},
    "agent": {"url": "https://acme.example"}
  })json");
}

const NamesHere kNamesThere{.hosts = {"gx10-ab12.lab.example.org", "acmevault"},
                            .devices = {"enp1s0f0np0", "acme-vpn"},
                            .users = {"alice", "root"},
                            .others = {"acmecorp"}};

// None is so short that the digits of a replacement could be it by chance.
const std::vector<std::string> kOriginalsThere{
    "gx10",      "hunter2", "198.51.100.9", "192.0.2.1/", "192.0.2.200", "11112222", "66667777",
    "acme",      "alice",   "opensesame",   "tulip",      "token=",      "01:02:03", "2001:db8:1:",
    "00d7:1b6c", "for Bob", "zzcommit",     "bob",        "lab.example"};

TEST(Bundles, HoldNothingThatIdentifies) {
  const auto documents = documents_of_a_machine();
  const auto bundle = make_bundle(documents, kNamesThere, BundleNames::kReplaced);
  ASSERT_TRUE(bundle) << bundle.error().what;
  for (const auto& original : kOriginalsThere) {
    ASSERT_THAT(documents.dump() + kNamesThere.hosts.front(), HasSubstr(original));
    EXPECT_THAT(bundle->text, Not(HasSubstr(original)));
    EXPECT_THAT(bundle->listing, Not(HasSubstr(original)));
  }
}

TEST(Bundles, StayReadableAndBelongTogether) {
  const auto bundle = make_bundle(documents_of_a_machine(), kNamesThere, BundleNames::kReplaced);
  ASSERT_TRUE(bundle) << bundle.error().what;
  const auto parsed = json::parse(bundle->text);
  for (const auto& finding : parsed["doctor"]["findings"]) {
    EXPECT_EQ(finding["what"], "left out of this report");
    EXPECT_EQ(finding["severity"], "look");
  }
  EXPECT_EQ(parsed["plan"]["node"], "host1");
  EXPECT_EQ(parsed["plan"]["steps"][0]["after"], "left out of this report") << "a name is in it";
  const auto& address = parsed["plan"]["steps"][1];
  EXPECT_THAT(address["key"].get<std::string>(), ContainsRegex("^enp1s0f0np0 [0-9.]+\\.9$"));
  EXPECT_EQ(address["after"], "/24");
  EXPECT_EQ(parsed["plan"]["steps"][2]["key"], "net.ipv4.conf.enp1s0f0np0.arp_ignore");
  EXPECT_EQ(parsed["plan"]["steps"][2]["before"], "0");
  const auto& told = parsed["status"]["cluster"]["nodes"];
  EXPECT_EQ(told[0]["node"], "host1");
  EXPECT_EQ(told[1]["told_by"], "host2");
  EXPECT_EQ(told[0]["file"], told[1]["file"]) << "the same file";
  EXPECT_TRUE(
      parsed["plan"]["digest"].get<std::string>().starts_with(told[0]["file"].get<std::string>()));
  EXPECT_EQ(parsed["history"]["generations"][0]["by"], "user1");
  EXPECT_EQ(parsed["events"]["events"][0]["what"], "applied_by_hand");
  EXPECT_EQ(parsed["versions"], documents_of_a_machine()["versions"]);
}

TEST(Bundles, DifferInTheirSalt) {
  const auto one = make_bundle(documents_of_a_machine(), kNamesThere, BundleNames::kReplaced);
  const auto other = make_bundle(documents_of_a_machine(), kNamesThere, BundleNames::kReplaced);
  ASSERT_TRUE(one && other);
  EXPECT_NE(json::parse(one->text)["plan"]["steps"][1]["key"],
            json::parse(other->text)["plan"]["steps"][1]["key"]);
}

TEST(Bundles, HoldOnlyWhatIsListed) {
  for (const auto what : {BundleNames::kReplaced, BundleNames::kKept}) {
    const auto bundle = make_bundle(documents_of_a_machine(), kNamesThere, what);
    ASSERT_TRUE(bundle) << bundle.error().what;
    const auto parsed = json::parse(bundle->text);
    EXPECT_FALSE(parsed.contains("agent"));
    EXPECT_FALSE(parsed["doctor"].contains("secret"));
    EXPECT_FALSE(parsed["events"].contains("changes"));
    EXPECT_EQ(parsed["history"]["generations"][0]["commit"].size(), 1U);
  }
}

TEST(Bundles, KeepNamesWhereThatIsAskedFor) {
  const auto documents = documents_of_a_machine();
  const auto bundle = make_bundle(documents, kNamesThere, BundleNames::kKept);
  ASSERT_TRUE(bundle) << bundle.error().what;
  const auto parsed = json::parse(bundle->text);
  EXPECT_EQ(parsed["names"], "kept");
  EXPECT_EQ(parsed["doctor"]["findings"][2]["what"], documents["doctor"]["findings"][2]["what"]);
}

TEST(Bundles, AreListed) {
  const auto documents = json::parse(R"json({
    "versions": {"program": "0.2.0", "cards": []},
    "doctor": {"findings": [{"name": "lock", "what": "held by gx10-ab12"}]},
    "gate": {"error": "nobody looked"}})json");
  const auto bundle =
      make_bundle(documents, {.hosts = {"gx10-ab12"}, .devices = {}, .users = {}, .others = {}},
                  BundleNames::kReplaced);
  ASSERT_TRUE(bundle) << bundle.error().what;
  EXPECT_EQ(bundle->listing, R"(in this bundle:
  doctor         97 bytes  1 finding
  gate           40 bytes  an error
  versions       39 bytes  0 cards
replaced, by a salt that is forgotten:
     1 host names → host1
kept: the vendor's part of a MAC address, the last number of an IPv4 address, names by
slot (enp1s0f0np0), versions, sizes, times and digests; texts are left out: `doctor` has them
Read the bundle before you publish it.
)");
}

/// The paths of all members of the schema that are no objects or lists.
void add_leaves(const json& part, const std::string& path, std::set<std::string>& leaves) {
  if (part.contains("items")) return add_leaves(part["items"], path + "[]", leaves);
  if (!part.contains("properties")) {
    leaves.insert(path);
    return;
  }
  for (const auto& [name, member] : part["properties"].items()) {
    add_leaves(member, path.empty() ? name : fmt::format("{}.{}", path, name), leaves);
  }
}

TEST(BundleFields, AreThoseOfTheSchema) {
  const auto schema =
      json::parse(std::ifstream(SPARK_SOURCE_DIR "/schema/output/bundle.schema.json"));
  std::set<std::string> leaves;
  add_leaves(schema, "", leaves);
  std::set<std::string> rows;
  for (const auto path : paths_in_bundle()) rows.emplace(path);
  // Null or an object.
  rows.erase("status.daemon");
  rows.erase("status.cluster");
  rows.erase("status.unfinished");
  EXPECT_EQ(rows, leaves);
}

}  // namespace
}  // namespace spark::cli
