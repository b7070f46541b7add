#include "cli/discover/session.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include "base/json_document.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "cli/discover/picture.hpp"
#include "cli/init/new_file.hpp"
#include "cli/question.hpp"

namespace spark::cli {
namespace {

using protocol::NodeRecord;

/// Before it is shown: nodes come one after the other, and each is heard cage by cage.
constexpr std::chrono::seconds kBeforeShown{1};
constexpr std::size_t kLongestTyped = 4096;
/// So long the last that a node has to say is said: each passes it on twice a second.
constexpr std::chrono::milliseconds kLastWords{2500};

/// What a file is written from: neither who has it yet, nor what was answered.
std::vector<NodeRecord> without_answers(std::vector<NodeRecord> nodes) {
  for (auto& node : nodes) {
    node.file.clear();
    node.refuses = false;
  }
  return nodes;
}

Error two_sources(const std::string& node) {
  return {
      .code = ErrorCode::kInvalid,
      .what = fmt::format("two sources say that they are {0}: something else on the wire sends "
                          "in its name. Nothing was written. Look what the cages are joined to, "
                          "and run this again on a cable that leads to {0} alone",
                          node)};
}

}  // namespace

Result<DiscoverSession> DiscoverSession::start(const Command& command,
                                               protocol::DiscoverTask task) {
  auto own = OwnOpening::make(command.host.files, task.node, task.run);
  if (!own) return std::unexpected(own.error());
  task.commitment = commitment_of(task.node, own->opening);
  auto helper = DiscoverHelper::start(task);
  if (!helper) return std::unexpected(helper.error());
  return DiscoverSession(command, *std::move(helper), std::move(task), *std::move(own));
}

DiscoverSession::DiscoverSession(const Command& command, DiscoverHelper helper,
                                 protocol::DiscoverTask task, OwnOpening own)
    : command_(&command),
      helper_(std::move(helper)),
      task_(std::move(task)),
      own_(std::move(own)),
      deadline_(Clock::now() + protocol::kDiscoverTime),
      changed_(Clock::now()) {}

Result<DiscoverSession::Event> DiscoverSession::wait(SteadyTime until, bool reads_stdin) {
  auto event = listen(std::min(until, deadline_), reads_stdin);
  if (event && !seen_.disputed.empty())
    event = std::unexpected(two_sources(seen_.disputed.front()));
  // What is said then is no part of the question.
  const bool is_last = !event || (pairing_ && !pairing_->refused_by().empty());
  if (is_last && std::exchange(is_asking_, false)) command_->terminal.print_always("\n");
  return event;
}

Result<DiscoverSession::Event> DiscoverSession::listen(SteadyTime until, bool reads_stdin) {
  if (reads_stdin && has_typed()) return Event::kTyped;
  std::array<pollfd, 2> entries{
      {{.fd = helper_.fd(), .events = POLLIN, .revents = 0},
       {.fd = reads_stdin ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0}}};
  // What has settled is shown meanwhile.
  const auto end = std::min(until, Clock::now() + kBeforeShown);
  if (poll_until(entries, end) <= 0) return Event::kNothing;
  if (entries[0].revents != 0) {
    auto news = helper_.read();
    // The helper ends at the same deadline.
    if (!news && is_time_over()) return Event::kNothing;
    if (!news) return std::unexpected(news.error());
    take(*std::move(news));
    if (auto told = tell_transcript(); !told) return std::unexpected(told.error());
    return Event::kNews;
  }
  read_stdin();
  return has_typed() ? Event::kTyped : Event::kNothing;
}

void DiscoverSession::take(DiscoverHelper::News news) {
  if (news.file) file_ = std::move(news.file);
  if (!news.seen) return;
  if (without_answers(seen_.nodes) != without_answers(news.seen->nodes)) {
    changed_ = Clock::now();
    wiring_ = wiring_of(news.seen->nodes);
  }
  seen_ = *std::move(news.seen);
  if (pairing_) pairing_->take(seen_);
}

Result<> DiscoverSession::offer(std::string file) {
  protocol::DiscoverOffer offer{.text = std::move(file)};
  for (const auto& node : seen_.nodes) {
    offer.nodes.push_back({.node = node.node, .run = node.run, .commitment = node.commitment});
  }
  protocol::DiscoverOrder order;
  order.offer = json_text(TextJsonWriter::write(offer));
  return begin_with(order.offer, task_.run, order);
}

Result<> DiscoverSession::begin(const protocol::DiscoverFile& offer) {
  return begin_with(offer.text, offer.founder, {});
}

Result<> DiscoverSession::begin_with(const std::string& offer, const std::string& founder,
                                     protocol::DiscoverOrder order) {
  digest_ = sha256_of(offer);
  if (pairing_) {
    return fail(
        ErrorCode::kInvalid,
        "another file is offered in the same run of this verb: nothing was written. Run this "
        "again once one node offers its file");
  }
  auto pairing = Pairing::begin(offer, founder, own_);
  if (!pairing) return std::unexpected(pairing.error());
  pairing->take(seen_);
  pairing_ = *std::move(pairing);
  // Not before: who knows it could choose what the words are made of.
  order.opening = own_.opening;
  if (auto ordered = helper_.order(order); !ordered) return ordered;
  return tell_transcript();
}

/// The helper passes consents on once it knows what they are to.
Result<> DiscoverSession::tell_transcript() {
  if (!pairing_ || !pairing_->is_open() || has_told_) return {};
  has_told_ = true;
  protocol::DiscoverOrder order;
  order.transcript = pairing_->transcript();
  return helper_.order(order);
}

DiscoverSession::Next DiscoverSession::next(bool is_answered) {
  // A refusal may be forged: it counts less than consents, which are signed.
  if (has_agreed_ && pairing_->awaited().empty()) return Next::kPut;
  if (!pairing_->refused_by().empty()) return Next::kRefused;
  if (!pairing_->gone(nodes()).empty()) return Next::kGone;
  if (!pairing_->is_open() || has_agreed_) return Next::kWait;
  if (!std::exchange(is_asked_, true)) return Next::kAsk;
  return is_answered ? Next::kAnswer : Next::kWait;
}

Result<> DiscoverSession::consent() {
  protocol::DiscoverOrder order;
  order.consent = pairing_->consent(own_);
  if (auto ordered = helper_.order(order); !ordered) return ordered;
  has_agreed_ = true;
  if (!command_->arguments.json) {
    command_->terminal.show_passing("waiting until all nodes have said yes");
  }
  return {};
}

void DiscoverSession::ask(const std::string& question) {
  static_cast<void>(tcflush(STDIN_FILENO, TCIFLUSH));  // what was typed before is no answer
  typed_.clear();
  command_->terminal.print_always(question);
  flush(command_->terminal);
  is_asking_ = true;
}

void DiscoverSession::refuse() {
  protocol::DiscoverOrder order;
  order.refuses = digest_;
  if (!digest_.empty() && helper_.order(order)) pass_on();
}

Result<Placed> DiscoverSession::put(const std::string& out) {
  auto& files = command_->host.files;
  if (auto placed = place_trusted(files, pairing_->keys_of_others()); !placed) {
    return std::unexpected(placed.error());
  }
  if (pairing_->file().empty()) return Placed::kSame;
  if (out.empty()) return place_file(files, pairing_->file());
  const auto written = write_new_file(out, pairing_->file());
  return written ? Result<Placed>(Placed::kAbsent) : std::unexpected(written.error());
}

void DiscoverSession::pass_on() {
  const auto end = Clock::now() + kLastWords;
  while (Clock::now() < end && listen(end, false)) {
  }
}

void DiscoverSession::show() {
  if (command_->arguments.json || seen_.nodes.empty() || Clock::now() < changed_ + kBeforeShown)
    return;
  auto text = picture_of(wiring_, task_);
  if (text == shown_) return;
  command_->terminal.print(shown_.empty() ? text : "\n" + text);
  flush(command_->terminal);
  shown_ = std::move(text);
}

const NodeRecord* DiscoverSession::founder() const {
  const auto first = std::ranges::find_if(seen_.nodes, &NodeRecord::is_founder);
  if (first == seen_.nodes.end()) return nullptr;
  const auto second = std::find_if(first + 1, seen_.nodes.end(),
                                   [](const NodeRecord& node) { return node.is_founder; });
  return second == seen_.nodes.end() ? &*first : nullptr;
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
  is_asking_ = false;
  const auto end = typed_.find('\n');
  if (end == std::string::npos && typed_.empty()) return std::nullopt;
  auto line = typed_.substr(0, end);
  typed_.erase(0, end == std::string::npos ? end : end + 1);
  return line;
}

void flush(const Terminal& terminal) {
  static_cast<void>(terminal.finish());  // main reports a failed write at the end
}

bool is_word_of_yes(std::string_view typed) {
  const auto word = ascii_lower(fold_blanks(typed));
  return word == "y" || word == "yes";
}

bool is_person_there(const Arguments& arguments) { return can_be_asked(arguments); }

}  // namespace spark::cli
