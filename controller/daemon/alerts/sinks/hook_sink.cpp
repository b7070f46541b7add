#include "daemon/alerts/sinks/hook_sink.hpp"

#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "daemon/alerts/sinks/alert_formats.hpp"
#include "daemon/alerts/sinks/hooks.hpp"

namespace spark::daemon {

HookSink::HookSink(boost::asio::io_context& context, std::string directory, SinkEvents events,
                   std::chrono::milliseconds deadline, uid_t owner)
    : QueuedSink("hooks " + directory, std::move(events)),
      context_(context),
      directory_(std::move(directory)),
      deadline_(deadline),
      owner_(owner) {}

void HookSink::send() {
  if (queue_.empty()) return;
  busy_ = true;
  dropped_before_ = queue_.dropped();
  input_ = dump(hook_input(queue_.front())) + "\n";
  failure_.clear();
  const auto hooks = hooks_in(directory_, owner_);
  if (!hooks) {
    failure_ = hooks.error().what;
  } else {
    left_.assign(hooks->paths.begin(), hooks->paths.end());
    for (const auto& refused : hooks->refused) {
      health_.log(refused);
      failure_ = refused;
    }
  }
  has_hooks_ = !left_.empty();
  run_next();
}

void HookSink::run_next() {
  if (left_.empty()) {
    end();
    return;
  }
  const auto path = left_.front();
  left_.pop_front();
  const auto name = path.substr(path.rfind('/') + 1);
  run_hook(
      context_, {.path = path, .input = input_, .deadline = deadline_},
      [weak = weak_from_this(), name](std::string_view line) {
        if (const auto self = weak.lock()) self->health_.log(fmt::format("{}: {}", name, line));
      },
      [weak = weak_from_this(), path](const Result<int>& result) {
        if (const auto self = weak.lock()) self->ended(path, result);
      });
}

void HookSink::ended(const std::string& path, const Result<int>& result) {
  if (!result) {
    failure_ = result.error().what;
  } else if (*result != 0) {
    failure_ = fmt::format("hook '{}' ended with status {}", path, *result);
  }
  run_next();
}

/// A program that failed is not run again: it may have done half of its work, and root has to fix
/// it.
void HookSink::end() {
  if (queue_.dropped() == dropped_before_) queue_.pop();
  busy_ = false;
  if (!failure_.empty()) {
    health_.failed(failure_);
  } else if (has_hooks_ || health_.state().failures > 0) {
    health_.delivered();
  }
  send();
}

Sinks make_hook_sinks(const SinkOrder& order) {
  return {std::make_shared<HookSink>(order.context, order.options.root + order.spec.hooks.value,
                                     order.events)};
}

}  // namespace spark::daemon
