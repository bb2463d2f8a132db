#ifndef CEDAR_APP_EXIT_CODE_H_
#define CEDAR_APP_EXIT_CODE_H_

// What the program tells the shell when it ends.

#include "simd/error.h"

namespace cedar {

enum ExitCode : int {
  kExitOk = 0,
  kExitInput = 1,  // some requests failed, or the input of run and score is bad
  kExitUsage = 2,  // the command line, or answers there that it would not make
  kExitModel = 3,  // model not there, damaged, or refused by the memory plan
  kExitInterrupted = 130,
};

constexpr ExitCode ExitCodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInput:
      return kExitInput;
    case ErrorKind::kUsage:
      return kExitUsage;
    case ErrorKind::kModel:
      return kExitModel;
  }
  return kExitModel;
}

}  // namespace cedar

#endif  // CEDAR_APP_EXIT_CODE_H_
