#include "cli/discover/session.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "cli/discover/picture.hpp"
#include "cli/question.hpp"

namespace spark::cli {
namespace {

using protocol::NodeRecord;

/// Before it is shown: nodes come one after the other, and each is heard cage by cage.
constexpr std::chrono::seconds kBeforeShown{1};
constexpr std::size_t kLongestTyped = 4096;

/// What a file is written from: neither who has it yet, nor what was answered.
std::vector<NodeRecord> without_answers(std::vector<NodeRecord> nodes) {
  for (auto& node : nodes) {
    node.file.clear();
    node.answer = protocol::FileAnswer::kNone;
    node.is_over = false;
  }
  return nodes;
}

}  // namespace

Result<DiscoverSession> DiscoverSession::start(const Command& command,
                                               protocol::DiscoverTask task) {
  auto helper = DiscoverHelper::start(task);
  if (!helper) return std::unexpected(helper.error());
  return DiscoverSession(command, *std::move(helper), std::move(task));
}

DiscoverSession::DiscoverSession(const Command& command, DiscoverHelper helper,
                                 protocol::DiscoverTask task)
    : command_(&command),
      helper_(std::move(helper)),
      task_(std::move(task)),
      deadline_(Clock::now() + protocol::kDiscoverTime),
      changed_(Clock::now()) {}

Result<DiscoverSession::Event> DiscoverSession::wait(SteadyTime until, bool reads_stdin) {
  if (reads_stdin && has_typed()) return Event::kTyped;
  std::array<pollfd, 2> entries{
      {{.fd = helper_.fd(), .events = POLLIN, .revents = 0},
       {.fd = reads_stdin ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0}}};
  // What has settled is shown meanwhile.
  const auto end = std::min({until, deadline_, Clock::now() + kBeforeShown});
  if (poll_until(entries, end) <= 0) return Event::kNothing;
  if (entries[0].revents != 0) {
    auto news = helper_.read();
    // The helper ends at the same deadline.
    if (!news && is_time_over()) return Event::kNothing;
    if (!news) return std::unexpected(news.error());
    take(*std::move(news));
    return Event::kNews;
  }
  read_stdin();
  return has_typed() ? Event::kTyped : Event::kNothing;
}

void DiscoverSession::take(DiscoverHelper::News news) {
  if (news.file) file_ = std::move(news.file);
  if (!news.seen) return;
  if (without_answers(nodes_) != without_answers(news.seen->nodes)) {
    changed_ = Clock::now();
    wiring_ = wiring_of(news.seen->nodes);
  }
  nodes_ = std::move(news.seen->nodes);
}

void DiscoverSession::show() {
  if (command_->arguments.json || nodes_.empty() || Clock::now() < changed_ + kBeforeShown) return;
  auto text = picture_of(wiring_, task_);
  if (text == shown_) return;
  command_->terminal.print(shown_.empty() ? text : "\n" + text);
  flush(command_->terminal);
  shown_ = std::move(text);
}

const NodeRecord* DiscoverSession::founder() const {
  const auto first = std::ranges::find_if(nodes_, &NodeRecord::is_founder);
  if (first == nodes_.end()) return nullptr;
  const auto second =
      std::find_if(first + 1, nodes_.end(), [](const NodeRecord& node) { return node.is_founder; });
  return second == nodes_.end() ? &*first : nullptr;
}

void DiscoverSession::read_stdin() {
  std::array<char, 256> bytes{};
  const auto got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got > 0) typed_.append(bytes.data(), static_cast<std::size_t>(got));
  typed_end_ = got == 0 || typed_.size() > kLongestTyped;
}

bool DiscoverSession::has_typed() const {
  return typed_end_ || typed_.find('\n') != std::string::npos;
}

std::optional<std::string> DiscoverSession::take_typed() {
  const auto end = typed_.find('\n');
  if (end == std::string::npos && typed_.empty()) return std::nullopt;
  auto line = typed_.substr(0, end);
  typed_.erase(0, end == std::string::npos ? end : end + 1);
  return line;
}

void flush(const Terminal& terminal) {
  static_cast<void>(terminal.finish());  // main reports a failed write at the end
}

bool is_person_there(const Arguments& arguments) { return can_be_asked(arguments); }

}  // namespace spark::cli
