#include "cli/discover/discover_helper.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/wait.hpp"
#include "host/process/child.hpp"
#include "host/process/file_io.hpp"
#include "host/process/helper_program.hpp"

namespace spark::cli {
namespace {

using protocol::DiscoverFile;
using protocol::DiscoverSeen;

/// It ends at once when its stdin is closed; one that does not is killed.
constexpr std::chrono::seconds kEndingTime{2};

template <class Value>
Result<> write_json(int descriptor, const Value& value, const char* what) {
  return host::write_all(descriptor, json_text(TextJsonWriter::write(value)) + '\n', what);
}

/// The helper reads what a network sent: it is judged here again.
bool is_possible(const DiscoverSeen& seen) {
  const auto is_one = [](const auto& said) { return protocol::is_possible(said); };
  return !seen.nodes.empty() && std::ranges::all_of(seen.nodes, is_one) &&
         std::ranges::all_of(seen.openings, is_one) && std::ranges::all_of(seen.consents, is_one) &&
         std::ranges::all_of(seen.disputed, protocol::is_host_name);
}

void take_line(const std::string& line, DiscoverHelper::News& news) {
  const auto document = parse_json(line);
  if (!document || !document->is_object()) return;
  const auto found = document->find("step");
  const auto step = found != document->end() && found->is_string() ? found->get<std::string>() : "";
  if (step == DiscoverSeen::kStep) {
    auto seen = value_from<DiscoverSeen>(*document);
    if (seen && is_possible(*seen)) news.seen = *std::move(seen);
  } else if (step == DiscoverFile::kStep) {
    if (auto file = value_from<DiscoverFile>(*document)) news.file = *std::move(file);
  }
}

}  // namespace

Result<DiscoverHelper> DiscoverHelper::start(const protocol::DiscoverTask& task) {
  const auto program = host::find_helper(host::Helper::kPeers);
  if (!program) return std::unexpected(program.error());
  const auto what = fmt::format("run '{}'", *program);
  auto in = host::make_pipe(what);
  if (!in) return std::unexpected(in.error());
  auto out = host::make_pipe(what);
  if (!out) return std::unexpected(out.error());
  auto err = host::make_pipe(what);
  if (!err) return std::unexpected(err.error());
  const auto child = host::spawn({.words = {*program, "discover"},
                                  .in = in->read_end.get(),
                                  .out = out->write_end.get(),
                                  .err = err->write_end.get()},
                                 what);
  if (!child) return std::unexpected(child.error());
  DiscoverHelper helper;
  helper.program_ = *program;
  helper.process_ = *child;
  helper.in_ = std::move(in->write_end);
  helper.out_ = std::move(out->read_end);
  helper.err_ = std::move(err->read_end);
  // Where it has ended already, the first `read` says why.
  static_cast<void>(write_json(helper.in_.get(), task, "tell spark-peers who this machine is"));
  return helper;
}

DiscoverHelper::DiscoverHelper(DiscoverHelper&& other) noexcept
    : program_(std::move(other.program_)),
      process_(std::exchange(other.process_, -1)),
      in_(std::move(other.in_)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      lines_(std::move(other.lines_)) {}

DiscoverHelper::~DiscoverHelper() {
  if (process_ < 0) return;
  in_.reset();
  out_.reset();
  const auto handle = host::process_handle(process_);
  if (!wait_for(handle.get(), POLLIN, std::chrono::steady_clock::now() + kEndingTime)) {
    static_cast<void>(kill(-process_, SIGKILL));  // it may just have ended
  }
  int status = 0;
  static_cast<void>(waitpid(process_, &status, 0));
}

Result<DiscoverHelper::News> DiscoverHelper::read() {
  std::array<char, 4096> bytes{};
  const auto got = ::read(out_.get(), bytes.data(), bytes.size());
  if (got == 0) return std::unexpected(why_ended());
  if (got > 0) lines_.add({bytes.data(), static_cast<std::size_t>(got)});
  News news;
  while (const auto line = lines_.take()) take_line(*line, news);
  if (lines_.is_too_long()) return fail(ErrorCode::kSystem, "spark-peers sent too long a line");
  return news;
}

Result<> DiscoverHelper::order(const protocol::DiscoverOrder& order) {
  return write_json(in_.get(), order, "tell spark-peers what to do");
}

Error DiscoverHelper::why_ended() const {
  constexpr std::size_t kMostWords = 4096;
  host::ChildOutput output{
      .status = 1, .out = {}, .err = host::read_all(err_.get(), kMostWords, "stderr").value_or("")};
  return {.code = ErrorCode::kSystem, .what = host::why_not_started(program_, output)};
}

}  // namespace spark::cli
