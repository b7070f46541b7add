#include "helpers/git/objects.hpp"

#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "helpers/git/object_reader.hpp"

namespace spark::helpers {
namespace {

using namespace std::string_literals;

const std::string kId(40, '0');
const std::string kTree(40, 'a');
const std::string kParent(40, 'b');
constexpr std::string_view kPersons =
    "author A <a@example.org> 1700000000 +0000\n"
    "committer C <c@example.org> 1700000001 +0100\n";
constexpr std::string_view kSignature =
    "-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----\n";

std::string commit_with(std::string_view headers, std::string_view message = "subject\n\nbody\n") {
  return fmt::format("tree {}\nparent {}\n{}{}\n{}", kTree, kParent, kPersons, headers, message);
}

GitId fault_of(std::string_view content) {
  const auto commit = parse_commit(content, kId);
  return commit ? GitId{} : commit.error().id;
}

std::string dated(std::string_view date) {
  return fmt::format("tree {}\nauthor A <a> 1 +0000\ncommitter C <c> {}\n\nsubject\n", kTree, date);
}

TEST(ObjectId, IsTheOneThatGitGives) {
  EXPECT_EQ(object_id("blob", "hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_EQ(object_id("tree", ""), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
  EXPECT_TRUE(is_object_id(kTree));
  EXPECT_FALSE(is_object_id(std::string(39, 'a')));
  EXPECT_FALSE(is_object_id(std::string(40, 'A')));
  EXPECT_FALSE(is_object_id(std::string(39, 'a') + "\n"));
}

TEST(ParseCommit, ReadsWhatItDescendsFromAndWhenItWasMade) {
  const auto commit = parse_commit(commit_with(""), kId);
  ASSERT_TRUE(commit);
  EXPECT_EQ(commit->tree, kTree);
  EXPECT_EQ(commit->parents, std::vector{kParent});
  EXPECT_EQ(commit->time, 1700000001);
  EXPECT_EQ(commit->subject, "subject");
  EXPECT_EQ(commit->is_signed.text, commit_with(""));
  EXPECT_EQ(commit->is_signed.signature, "");
}

TEST(ParseCommit, TakesTheSignatureOutOfWhatItSigns) {
  const auto commit =
      parse_commit(commit_with("encoding UTF-8\ngpgsig -----BEGIN SSH SIGNATURE-----\n U1NI\n"
                               " -----END SSH SIGNATURE-----\nx-other one\n two\n"),
                   kId);
  ASSERT_TRUE(commit);
  EXPECT_EQ(commit->is_signed.text, commit_with("encoding UTF-8\nx-other one\n two\n"));
  EXPECT_EQ(commit->is_signed.signature, kSignature);
}

TEST(ParseCommit, KeepsTheMessageAsItIs) {
  const auto odd = "gpgsig no header\0\xff\n no line feed"s;
  const auto commit = parse_commit(commit_with("", odd), kId);
  ASSERT_TRUE(commit);
  EXPECT_EQ(commit->is_signed.text, commit_with("", odd));
  EXPECT_EQ(commit->is_signed.signature, "");
  EXPECT_EQ(parse_commit(commit_with("", ""), kId)->subject, "");
}

TEST(ParseCommit, RefusesTwoSignatures) {
  constexpr std::string_view kOne = "gpgsig one\n two\n";
  EXPECT_EQ(fault_of(commit_with(kOne)), GitId{});
  EXPECT_EQ(fault_of(commit_with(fmt::format("{0}{0}", kOne))), GitId::kNotWhatItsNameSays);
  EXPECT_EQ(fault_of(commit_with(fmt::format("{}x y\n{}", kOne, kOne))),
            GitId::kNotWhatItsNameSays);
  EXPECT_EQ(fault_of(commit_with("gpgsig-sha256 one\n")), GitId::kNotWhatItsNameSays);
}

// Its line was passed over, as if the commit had no parent.
TEST(ParseCommit, RefusesAParentThatIsNoObject) {
  EXPECT_EQ(fault_of(fmt::format("tree {}\nparent 00{}\n{}\ns\n", kTree, kParent, kPersons)),
            GitId::kNotWhatItsNameSays);
}

TEST(ParseCommit, RefusesADateThatGitWouldNotWrite) {
  EXPECT_EQ(parse_commit(dated("9223372036854775807 +0000"), kId)->time,
            std::numeric_limits<std::int64_t>::max());
  for (const auto* date : {"-1 +0000", "9223372036854775808 +0000", "1", "", "x +0000", "0x1 +0000",
                           " 1 +0000", "+1 +0000"}) {
    EXPECT_EQ(fault_of(dated(date)), GitId::kNotWhatItsNameSays) << date;
  }
}

TEST(ParseCommit, RefusesWhatIsCutShortAnywhereInItsHeaders) {
  const auto whole = commit_with("gpgsig one\n", "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(fault_of(whole.substr(0, size)), GitId::kNotWhatItsNameSays) << size;
  }
  EXPECT_EQ(fault_of(whole), GitId{});
}

TEST(ParseTag, ReadsTheNameAndTheCommitThatAreSigned) {
  const auto text = fmt::format("object {}\ntype commit\ntag v1\ntagger T <t> 1 +0\n\nv1\n", kTree);
  const auto tag = parse_tag(text + std::string(kSignature), kId);
  ASSERT_TRUE(tag);
  EXPECT_EQ(tag->commit, kTree);
  EXPECT_EQ(tag->name, "v1");
  EXPECT_EQ(tag->is_signed.text, text);
  EXPECT_EQ(tag->is_signed.signature, kSignature);
  EXPECT_EQ(parse_tag(text, kId)->is_signed.signature, "");
}

TEST(ParseTag, TakesTheLastSignatureForTheSignature) {
  const auto text = fmt::format("object {}\ntype commit\ntag v1\n\n{}", kTree, kSignature);
  const auto tag = parse_tag(text + std::string(kSignature), kId);
  ASSERT_TRUE(tag);
  EXPECT_EQ(tag->is_signed.text, text);
}

TEST(ParseTag, RefusesWhatIsOnNoCommit) {
  for (const auto* type : {"tag", "tree", "blob", "commits", ""}) {
    EXPECT_FALSE(parse_tag(fmt::format("object {}\ntype {}\ntag v1\n\n", kTree, type), kId));
  }
  EXPECT_FALSE(parse_tag("object 12\ntype commit\ntag v1\n\n", kId));
  EXPECT_FALSE(parse_tag(fmt::format("object {}\ntype commit\n", kTree), kId));
}

TEST(FindEntry, FindsAFileByItsWholeName) {
  const auto hash = std::string(19, '\0') + "\x01";
  const auto tree = "100644 a\0"s + hash + "40000 ab\0"s + hash;
  const auto entry = find_entry(tree, "ab", kId);
  ASSERT_TRUE(entry && *entry);
  EXPECT_EQ((*entry)->mode, "40000");
  EXPECT_EQ((*entry)->id, std::string(39, '0') + "1");
  EXPECT_EQ(find_entry(tree, "b", kId), std::nullopt);
  EXPECT_EQ(find_entry("", "a", kId), std::nullopt);
}

TEST(FindEntry, RefusesATreeThatIsCutShort) {
  EXPECT_FALSE(find_entry("100644 a\0"s + std::string(19, 'x'), "a", kId));
  EXPECT_FALSE(find_entry("100644 a", "a", kId));
  EXPECT_FALSE(find_entry("100644", "a", kId));
}

}  // namespace
}  // namespace spark::helpers
