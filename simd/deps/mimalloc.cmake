# mimalloc: the allocator of the release executable; it takes the place of malloc and operator new.
foreach(option IN ITEMS SHARED OBJECT TESTS)
  set(MI_BUILD_${option} OFF CACHE BOOL "")
endforeach()
add_subdirectory(${SOURCE} mimalloc EXCLUDE_FROM_ALL)
add_custom_target(dependency ALL DEPENDS mimalloc-static)

install(FILES $<TARGET_FILE:mimalloc-static> DESTINATION lib RENAME libmimalloc.a)
install(FILES ${SOURCE}/include/mimalloc.h DESTINATION include)
