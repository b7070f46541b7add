#include "helpers/verbs/registration.hpp"

#include <cerrno>
#include <system_error>

#include <sys/resource.h>

#include "helpers/verbs/verbs.hpp"

namespace spark::helpers {

protocol::RegistrationReport run_registration(const protocol::RegistrationRequest& request) {
  protocol::RegistrationReport report;
  const auto fail = [&](std::string_view call, int number) {
    report.failed = call;
    report.error_number = number;
    report.why = std::generic_category().message(number);
    return report;
  };
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) {
    return fail("getrlimit", errno);
  }
  report.limit = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
  const auto device = open_device(request.device);
  if (!device.context) {
    return fail(device.failed, device.error_number);
  }
  const Pages pages(request.bytes);
  if (!pages.valid()) {
    return fail("mmap", errno);
  }
  const ProtectionDomain domain(ibv_alloc_pd(device.context.get()));
  if (!domain) {
    return fail("ibv_alloc_pd", errno);
  }
  constexpr int kAccess = IBV_ACCESS_LOCAL_WRITE;  // ibv_reg_mr is a macro that computes with it
  const MemoryRegion region(ibv_reg_mr(domain.get(), pages.start(), pages.bytes().size(), kAccess));
  if (!region) {
    return fail("ibv_reg_mr", errno);
  }
  report.registered = true;
  return report;
}

}  // namespace spark::helpers
