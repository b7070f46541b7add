#include <cerrno>
#include <utility>

#include <sys/resource.h>

#include "helpers/verbs/tasks.hpp"
#include "helpers/verbs/verbs.hpp"

namespace spark::helpers {
namespace {

Attempt<> register_memory(const protocol::RegistrationRequest& request,
                          protocol::RegistrationReport& report) {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return failed("getrlimit", errno);
  report.limit = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
  const auto device = open_device(request.device);
  if (!device) return std::unexpected(device.error());
  const Pages pages(request.bytes);
  if (!pages.valid()) return failed("mmap", errno);
  const ProtectionDomain domain(ibv_alloc_pd(device->get()));
  if (!domain) return failed("ibv_alloc_pd", errno);
  constexpr int kAccess = IBV_ACCESS_LOCAL_WRITE;  // ibv_reg_mr is a macro that computes with it
  const MemoryRegion region(ibv_reg_mr(domain.get(), pages.start(), pages.bytes().size(), kAccess));
  if (!region) return failed("ibv_reg_mr", errno);
  report.registered = true;
  return {};
}

}  // namespace

protocol::RegistrationReport run_registration(const protocol::RegistrationRequest& request) {
  protocol::RegistrationReport report;
  if (auto done = register_memory(request, report); !done) {
    take_down(report, std::move(done.error()));
  }
  return report;
}

}  // namespace spark::helpers
