#include <chrono>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "daemon/events/event_sources.hpp"
#include "fake/temporary_folder.hpp"

namespace spark::daemon {
namespace {

namespace fs = std::filesystem;

/// A machine whose devices are files.
class VerbsSourceTest : public testing::Test {
 protected:
  std::unique_ptr<VerbsSource> source() {
    auto source = VerbsSource::open(
        loop_,
        [this](std::string_view name) {
          EXPECT_EQ(name, "verbs");
          ++told_;
        },
        root_.path());
    (*source)->start();
    return std::move(*source);
  }
  void add_device(const std::string& name) {
    fs::create_directories(directory_);
    std::ofstream(directory_ / name) << "";
  }
  void open(const std::string& name) { const std::ifstream opened(directory_ / name); }
  /// Takes in what has happened.
  int told() {
    loop_.restart();
    loop_.run_for(std::chrono::milliseconds(20));
    return told_;
  }

  test::TemporaryFolder root_;
  fs::path directory_ = fs::path(root_.path()) / "dev/infiniband";
  boost::asio::io_context loop_;
  int told_ = 0;
};

TEST_F(VerbsSourceTest, TellsThatADeviceIsOpened) {
  add_device("uverbs0");
  add_device("rdma_cm");
  const auto source = this->source();
  EXPECT_EQ(told(), 0);
  open("rdma_cm");
  EXPECT_EQ(told(), 0);
  open("uverbs0");
  EXPECT_EQ(told(), 1);
}

TEST_F(VerbsSourceTest, TellsOfDevicesThatCameLaterOnceItWatchesAgain) {
  const auto source = this->source();
  add_device("uverbs0");
  source->watch();
  open("uverbs0");
  EXPECT_EQ(told(), 1);
}

}  // namespace
}  // namespace spark::daemon
