#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/line_buffer.hpp"
#include "cli/bench/bench_run.hpp"
#include "host/process/child.hpp"
#include "host/process/file_io.hpp"
#include "host/process/helper_program.hpp"

namespace spark::cli {
namespace {

using protocol::BenchEnded;
using protocol::BenchProgress;
using protocol::BenchTask;

/// Beside the seconds of the measurement: the question, and the probes' own steps.
constexpr std::chrono::seconds kBeside{60};

/// What the helper said so far.
class HelperWords {
 public:
  explicit HelperWords(const OnBenchProgress& on_progress) : on_progress_(on_progress) {}

  void add(std::string_view bytes) {
    lines_.add(bytes);
    while (const auto line = lines_.take()) read(*line);
  }

  /// Null: the helper did not say how it went over that link.
  [[nodiscard]] const BenchEnded* find(const std::string& link) const {
    const auto found = std::ranges::find(ended_, link, &BenchEnded::link);
    return found == ended_.end() ? nullptr : &*found;
  }

 private:
  void read(const std::string& line) {
    const auto document = parse_json(line);
    if (!document || !document->is_object()) return;
    const auto step = document->value("step", "");
    if (step == BenchProgress::kStep) {
      if (const auto progress = value_from<BenchProgress>(*document); progress && on_progress_) {
        on_progress_(*progress);
      }
    } else if (step == BenchEnded::kStep) {
      if (auto ended = value_from<BenchEnded>(*document)) ended_.push_back(std::move(*ended));
    }
  }

  const OnBenchProgress& on_progress_;
  LineBuffer lines_{protocol::kLongestBenchLine};
  std::vector<BenchEnded> ended_;
};

}  // namespace

Result<std::vector<BenchEnded>> run_bench_task(const BenchTask& task,
                                               const OnBenchProgress& on_progress) {
  const auto program = host::find_helper(host::Helper::kPeers);
  if (!program) return std::unexpected(program.error());
  const auto in =
      host::unnamed_file(json_text(TextJsonWriter::write(task)) + '\n', "write the task");
  if (!in) return std::unexpected(in.error());
  HelperWords answer(on_progress);
  const auto ran = host::run_child(
      {*program, "bench"}, std::chrono::seconds(task.seconds) + kBeside,
      {.in = in->get(), .on_out = [&](std::string_view bytes) { answer.add(bytes); }});
  if (!ran) return std::unexpected(ran.error());
  std::vector<BenchEnded> all;
  for (const auto& route : task.routes) {
    const auto* ended = answer.find(route.link);
    if (ended == nullptr) return fail(ErrorCode::kSystem, host::why_not_started(*program, *ran));
    all.push_back(*ended);
  }
  return all;
}

}  // namespace spark::cli
