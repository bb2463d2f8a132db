#include "simd/process_limits.h"

#include <asm/unistd.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>

// A sanitizer's own code, which is in every function, may not run that early either.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CEDAR_CHECK_EARLY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CEDAR_CHECK_EARLY 0
#endif
#endif
#ifndef CEDAR_CHECK_EARLY
#define CEDAR_CHECK_EARLY 1
#endif

#if CEDAR_CHECK_EARLY

namespace cedar::simd {
namespace {

// System calls without the C library, which has not begun yet.
long Call(long number, long a, long b, long c, long d) {
#if defined(__x86_64__)
  long result = number;
  register long fourth asm("r10") = d;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(fourth)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long result asm("x0") = a;
  register long second asm("x1") = b;
  register long third asm("x2") = c;
  register long fourth asm("x3") = d;
  register long called asm("x8") = number;
  asm volatile("svc 0"
               : "+r"(result)
               : "r"(second), "r"(third), "r"(fourth), "r"(called)
               : "memory");
  return result;
#endif
}

constexpr long kKernelStandardError = 2, kKernelExitModel = 3;

template <size_t kSize>
void End(const char (&message)[kSize]) {
  Call(__NR_write, kKernelStandardError, reinterpret_cast<long>(message), kSize - 1, 0);
  Call(__NR_exit_group, kKernelExitModel, 0, 0, 0);
}

struct Limit {
  uint64_t soft = 0, hard = 0;
};

// Reads a limit of this process, or sets it; whether that went well.
bool GetLimit(long which, Limit& limit) {
  return Call(__NR_prlimit64, 0, which, 0, reinterpret_cast<long>(&limit)) == 0;
}
bool SetLimit(long which, const Limit& limit) {
  return Call(__NR_prlimit64, 0, which, reinterpret_cast<long>(&limit), 0) == 0;
}

void CheckAddressSpace() {
  Limit limit;
  if (!GetLimit(RLIMIT_AS, limit) || limit.soft >= kLeastAddressSpace) return;
  static_assert(kLeastAddressSpace == 98304 * size_t{1024});
  End("cedar: address space (ulimit -v): found less than the 98304 kB that it takes to begin\n");
}

// A stack may grow up to the limit that holds when it does, so it helps to raise that.
void CheckStack() {
  constexpr uint64_t kUsual = uint64_t{8} << 20;
  Limit limit;
  if (!GetLimit(RLIMIT_STACK, limit) || limit.soft >= kUsual) return;
  // The privileged may raise the hard limit as well.
  if (SetLimit(RLIMIT_STACK, {kUsual, limit.hard < kUsual ? kUsual : limit.hard})) return;
  const uint64_t most = limit.hard < kUsual ? limit.hard : kUsual;
  if (!SetLimit(RLIMIT_STACK, {most, limit.hard})) GetLimit(RLIMIT_STACK, limit);
  if ((most > limit.soft ? most : limit.soft) >= kLeastStack) return;
  static_assert(kLeastStack == 1024 * size_t{1024});
  End("cedar: stack (ulimit -s): found less than the 1024 kB that it takes to work\n");
}

void Nothing() {}

}  // namespace

// Whoever makes the program run asks for the address of CedarAfterFirstCheck() before anything else
// is done, also before the C library allocates: that fails where there is little address space, and
// ends in a crash.
extern "C" {

[[gnu::no_stack_protector,
  gnu::no_sanitize("address,undefined,thread")]] static void (*FirstCheck())() {
  CheckAddressSpace();
  CheckStack();
  return Nothing;
}

void CedarAfterFirstCheck() __attribute__((ifunc("FirstCheck")));
}

void CheckProcessLimits() { CedarAfterFirstCheck(); }

}  // namespace cedar::simd

#else

namespace cedar::simd {

void CheckProcessLimits() {}

}  // namespace cedar::simd

#endif
