# Checkpoints that the NumPy oracle makes for tests.

# golden/tiny and golden/odd in the build folder: small checkpoints in the released layout, and what
# the NumPy oracle says of them. Made once, in about fifteen seconds; the same bytes everywhere.
set(CEDAR_PYTHON /usr/bin/python3 CACHE FILEPATH "Python with NumPy")
set(CEDAR_ORACLE
  tests/oracle/golden.py
  tests/oracle/v41/__init__.py
  tests/oracle/v41/config.py
  tests/oracle/v41/engram.py
  tests/oracle/v41/model.py
  tests/oracle/v41/numerics.py
  tests/oracle/v41/safetensors.py
  tests/oracle/v41/synthetic.py
)
list(TRANSFORM CEDAR_ORACLE PREPEND ${CMAKE_SOURCE_DIR}/)
function(cedar_golden)
  foreach(shape ${ARGN})
    set(folder ${CMAKE_BINARY_DIR}/golden/${shape})
    add_custom_command(
      OUTPUT ${folder}/expected.safetensors
      COMMAND ${CEDAR_PYTHON} -B tests/oracle/golden.py ${folder} --shape ${shape} --seed 0
              --tokens 120
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
      DEPENDS ${CEDAR_ORACLE}
      COMMENT "Asking the oracle about the ${shape} checkpoint")
    list(APPEND outputs ${folder}/expected.safetensors)
  endforeach()
  add_custom_target(golden DEPENDS ${outputs})
endfunction()

# golden/NAME for each name: further checkpoints, made when the tests that need them run. Each takes
# about a second, and stays until the oracle changes.
function(cedar_golden_at_test_time)
  foreach(name ${ARGN})
    add_test(NAME golden.${name}
             COMMAND ${CEDAR_PYTHON} -B ${CMAKE_SOURCE_DIR}/tests/oracle/make_checkpoint.py
                     ${CMAKE_BINARY_DIR}/golden/${name} ${name})
    set_tests_properties(golden.${name} PROPERTIES FIXTURES_SETUP golden)
  endforeach()
endfunction()
