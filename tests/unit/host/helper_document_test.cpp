#include "host/helper_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_files.hpp"
#include "protocol/web.hpp"

namespace spark::host {
namespace {

class HelperDocument : public testing::Test {
 protected:
  Result<std::optional<protocol::WebReport>> read() {
    return helper_document<protocol::WebReport>(files_,
                                                {.path = protocol::kWebReportFile,
                                                 .user = protocol::kWebUser,
                                                 .most_bytes = protocol::kMostWebReportBytes,
                                                 .schema = protocol::kWebReportSchema});
  }
  void put(const std::string& text) { files_.put(protocol::kWebReportFile, text); }

  test::FakeWrites writes_;
  test::FakeFiles files_{writes_};
};

TEST_F(HelperDocument, IsReadWhereItIsOne) {
  EXPECT_EQ(*read(), std::nullopt);
  const protocol::WebReport report{
      .endpoint = "127.0.0.1:9842", .failed = {}, .token_file = {}, .access_failed = {}};
  put(json_text(document_of(protocol::kWebReportSchema, report)));
  EXPECT_EQ(*read(), report);
  files_.give_to(protocol::kWebReportFile, protocol::kWebUser);
  EXPECT_EQ(*read(), report);
}

// D6: the words of the parser showed bytes of what root had read.
TEST_F(HelperDocument, ThatIsNotUnderstoodShowsNothingOfItself) {
  for (const std::string text :
       {"s3cret", "{\"s3cret", "{\"schema\": \"s3cret\"}",
        "{\"schema\": \"spark-reconcile/web/v1\", \"endpoint\": {\"s3cret\": 1}}"}) {
    put(text);
    EXPECT_EQ(read().error(),
              (Error{ErrorCode::kInvalid, "'/run/spark-reconcile-web/web.json' is not understood"}))
        << text;
  }
}

TEST_F(HelperDocument, OfSomebodyElseAndByALinkIsRefused) {
  put("{}");
  files_.give_to(protocol::kWebReportFile, "alice");
  EXPECT_THAT(read().error().what, testing::HasSubstr("others than spark-web"));
  files_.give_to(protocol::kWebReportFile, protocol::kWebUser);
  files_.make_link(protocol::kWebReportFile);
  EXPECT_THAT(read().error().what, testing::HasSubstr("a symbolic link is on the way"));
}

}  // namespace
}  // namespace spark::host
