# Highway: portable SIMD with dispatch at run time.
foreach(option IN ITEMS CONTRIB EXAMPLES INSTALL TESTS)
  set(HWY_ENABLE_${option} OFF CACHE BOOL "")
endforeach()
set(HWY_FORCE_STATIC_LIBS ON CACHE BOOL "")
add_subdirectory(${SOURCE} highway EXCLUDE_FROM_ALL)
add_custom_target(dependency ALL DEPENDS hwy)

install(FILES $<TARGET_FILE:hwy> DESTINATION lib)
# Of contrib the elementary functions, which are headers only.
install(DIRECTORY ${SOURCE}/hwy DESTINATION include FILES_MATCHING PATTERN "*.h"
        PATTERN tests EXCLUDE PATTERN examples EXCLUDE
        REGEX "/contrib/[^m]" EXCLUDE REGEX "/contrib/matvec" EXCLUDE)
