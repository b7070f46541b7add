#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "helpers/peers/frames.hpp"
#include "helpers/peers/own_key.hpp"
#include "helpers/peers/record_told.hpp"

namespace {

void expect_tame(std::string_view text) {
  if (!std::ranges::all_of(text, spark::is_ascii_print)) std::abort();
}

}  // namespace

const spark::helpers::Secret& any_key() {
  static const auto kKey = *spark::helpers::Secret::parse(std::string(64, '0'));
  return kKey;
}

// What a stranger on the cable sends: a frame, and the documents that it answers with. What is
// taken shows itself on any terminal. No input has the MAC of a key: bytes that are taken are those
// that this function has just made.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  using spark::protocol::KeyFault;
  if (spark::helpers::key_fault(bytes, &any_key()) == KeyFault::kNone) std::abort();
  if (const auto hello = spark::helpers::decode_hello(bytes)) {
    if (const auto frame = spark::helpers::encode_hello(*hello, &any_key()); !frame.empty()) {
      if (spark::helpers::decode_hello(frame) != hello ||
          spark::helpers::key_fault(frame, &any_key()) != KeyFault::kNone ||
          spark::helpers::key_fault(frame, nullptr) != KeyFault::kAsked) {
        std::abort();
      }
    }
    for (const auto& text : {hello->cluster, hello->node, hello->boot, hello->file,
                             hello->candidate, hello->verdict, hello->details}) {
      expect_tame(text);
    }
    if (const auto frame = spark::helpers::encode_hello(*hello);
        !frame.empty() && spark::helpers::decode_hello(frame) != hello) {
      std::abort();
    }
  }
  if (const auto details = spark::helpers::decode_details(bytes)) {
    for (const auto& text :
         {details->cluster, details->node, details->version, details->boot_id, details->machine,
          details->kernel, details->file, details->candidate, details->verdict}) {
      expect_tame(text);
    }
    for (const auto& reason : details->reasons) expect_tame(reason);
    for (const auto& problem : details->problems) {
      for (const auto& text :
           {problem.id, problem.name, problem.link, problem.subject, problem.measured}) {
        expect_tame(text);
      }
      for (const auto& peer : problem.peers) expect_tame(peer);
      for (const auto& mac : problem.macs) expect_tame(mac);
      if (problem.plug) expect_tame(problem.plug->node);
    }
    for (const auto& rail : details->rails) {
      for (const auto& text : {rail.link, rail.mac, rail.device, rail.fault}) expect_tame(text);
    }
  }
  if (const auto told = spark::helpers::decode_record(bytes, "spark2")) {
    for (const auto& sign : told->record.signs) {
      for (const auto& text : {sign.link, sign.peer, sign.text}) expect_tame(text);
    }
    if (told->rails) {
      for (const auto& rail : told->rails->rails) expect_tame(rail.link);
    }
    const auto now = spark::protocol::WallTime(std::chrono::milliseconds(0));
    for (const auto& sign : spark::helpers::within(told->record, {now, told->now}).signs) {
      if (sign.at > told->now) std::abort();
    }
  }
  return 0;
}
