# The benchmarks; a part of the CMakeLists.txt at the top.

# cedar_perf(NAME LIBRARY): one program from perf/NAME.cc.
function(cedar_perf name library)
  add_executable(${name} perf/${name}.cc)
  target_link_libraries(${name} PRIVATE ${library} benchmark::benchmark_main)
endfunction()

find_package(benchmark 1.7 REQUIRED)
cedar_perf(attend_bench cedar_simd)
cedar_perf(expert_layer_bench cedar_engine)
target_link_libraries(expert_layer_bench PRIVATE nlohmann_json::nlohmann_json)
if(CEDAR_TESTS)  # for the tokenizer of the release
  # Not cedar_program: Google Benchmark is a shared library.
  cedar_perf(grammar_bench cedar_app)
  target_sources(grammar_bench PRIVATE tests/weights/tokenizer_data.cc)
  target_link_libraries(grammar_bench PRIVATE test_paths nlohmann_json::nlohmann_json)
endif()
cedar_perf(index_score_bench cedar_simd)
add_executable(long_context perf/long_context.cc)
target_link_libraries(long_context PRIVATE cedar_program)
cedar_perf(matmul_bench cedar_weights)
cedar_perf(projection_bench cedar_engine)
target_link_libraries(projection_bench PRIVATE nlohmann_json::nlohmann_json)
cedar_perf(rows_bench cedar_simd)
cedar_perf(workers_bench cedar_simd)

# What perf/compare.sh measures beside ours: programs on llama.cpp's own libraries, which lie in
# the folder CEDAR_PEER. Without it they are compiled and not linked.
set(CEDAR_PEER "" CACHE PATH "Folder of llama.cpp's libraries")
foreach(name ggml_ops gguf_slice llama_run)
  add_library(peer_${name} OBJECT perf/peers/${name}.cc)
  target_compile_definitions(peer_${name} PRIVATE CEDAR_PEER_FOLDER="${CEDAR_PEER}")
  if(CEDAR_PEER)
    file(GLOB libraries ${CEDAR_PEER}/libllama.*.so ${CEDAR_PEER}/libggml.*.so)
    add_executable(${name} $<TARGET_OBJECTS:peer_${name}>)
    target_link_libraries(${name} PRIVATE cedar_simd ${libraries} ${CEDAR_PEER}/libggml-base.so)
    set_target_properties(${name} PROPERTIES BUILD_RPATH ${CEDAR_PEER})
  endif()
endforeach()
target_link_libraries(peer_ggml_ops PRIVATE benchmark::benchmark)
if(CEDAR_PEER)
  target_link_libraries(ggml_ops PRIVATE benchmark::benchmark_main)
endif()
