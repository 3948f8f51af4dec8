# SPDX-License-Identifier: GPL-3.0-or-later
# How every library, program and test of the project is declared.

# Most of the project waits for a person, a disk or a worker: its optimiser's time is spent on inlining the containers of
# each file again. Without that a cold build takes four fifths of the time (docs/benchmarks.md, Build).
set(RIDGE_BRIEF OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT RIDGE_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Release")
  set(RIDGE_BRIEF ON)
endif()

# Targets that are compiled alike share one precompiled header each: engines (no Qt) with all optimisation or briefly, Qt
# Core, Qt Widgets, tests. A compiler reads only the headers made with its own level of optimisation.
function(_ridge_pch result kind hot)
  set(name ridge_pch_${kind})
  if(hot AND RIDGE_BRIEF)
    string(APPEND name _hot)
  endif()
  set(${result} ${name} PARENT_SCOPE)
  if(TARGET ${name})
    return()
  endif()
  if(NOT EXISTS ${CMAKE_BINARY_DIR}/pch/${name}.cpp) # written again it would be newer, and everything would be built anew
    file(WRITE ${CMAKE_BINARY_DIR}/pch/${name}.cpp "// made by cmake/RidgeTargets.cmake\n")
  endif()
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/pch/${name}.cpp)
  _ridge_flavour(${name} ${kind} ${hot})
  set(headers ${CMAKE_SOURCE_DIR}/cmake/pch_${kind}.h)
  if(RIDGE_BRIEF AND RIDGE_BUILD_APP)
    string(REPLACE ridge_ "" project ${name}_project.h)
    list(APPEND headers ${CMAKE_SOURCE_DIR}/cmake/${project})
  endif()
  target_precompile_headers(${name} PRIVATE ${headers})
  set_target_properties(${name} PROPERTIES AUTOMOC OFF)
endfunction()

function(_ridge_flavour target kind hot)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/modules ${CMAKE_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC nlohmann_json::nlohmann_json Threads::Threads)
  if(kind STREQUAL "engine")
    set_target_properties(${target} PROPERTIES AUTOMOC OFF)
  else()
    target_compile_definitions(${target} PRIVATE QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_KEYWORDS)
    target_link_libraries(${target} PUBLIC Qt6::Core Qt6::Sql)
  endif()
  if(kind STREQUAL "widgets" OR kind STREQUAL "testwidgets")
    target_link_libraries(${target} PUBLIC Qt6::Widgets Qt6::OpenGLWidgets Qt6::Charts Qt6::Svg Qt6::PrintSupport)
  endif()
  if(kind STREQUAL "test" OR kind STREQUAL "testwidgets")
    target_link_libraries(${target} PUBLIC Qt6::Test)
    # Compiled on every machine and run for a moment. Not -O0, which would take a third of the compiler's time off: of the inline
    # functions of headers the linker takes a test's copies, the program under test would run with those, and what the compiler
    # gains the tests lose again.
    target_compile_options(${target} PRIVATE -O1)
    set(hot OFF)
  endif()
  if(RIDGE_BRIEF AND NOT hot)
    target_compile_options(${target} PRIVATE -O1 "SHELL:-mllvm -inline-threshold=10" "SHELL:-mllvm -inlinehint-threshold=10")
  endif()
endfunction()

# ridge_library(NAME base KIND engine|core|widgets [HOT] SOURCES … LIBS …) makes ridge_base and its alias ridge::base.
# HOT: loops that count in docs/benchmarks.md; the optimiser does all it can.
function(ridge_library)
  cmake_parse_arguments(A "HOT" "NAME;KIND" "SOURCES;LIBS" ${ARGN})
  _ridge_pch(pch ${A_KIND} ${A_HOT})
  add_library(ridge_${A_NAME} STATIC ${A_SOURCES})
  add_library(ridge::${A_NAME} ALIAS ridge_${A_NAME})
  _ridge_flavour(ridge_${A_NAME} ${A_KIND} ${A_HOT})
  target_link_libraries(ridge_${A_NAME} PUBLIC ${A_LIBS})
  target_precompile_headers(ridge_${A_NAME} REUSE_FROM ${pch})
  set_property(GLOBAL APPEND PROPERTY RIDGE_UNITED ridge_${A_NAME})
endfunction()

# Several sources as one for the compiler, in the preset release (docs/benchmarks.md, Build). Names in
# unnamed namespaces may repeat between files; unity_groups.py puts such files apart. Called once, after all libraries.
function(ridge_unite_sources)
  if(NOT RIDGE_UNITY)
    return()
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  get_property(libraries GLOBAL PROPERTY RIDGE_UNITED)
  set(asked ${CMAKE_BINARY_DIR}/unity_asked.txt)
  file(WRITE ${asked} "")
  foreach(library IN LISTS libraries)
    get_target_property(folder ${library} SOURCE_DIR)
    get_target_property(sources ${library} SOURCES)
    file(APPEND ${asked} "${library};${folder};${sources}\n")
  endforeach()
  execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/unity_groups.py INPUT_FILE ${asked}
                  OUTPUT_VARIABLE rows COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "|" rows "${rows}")
  string(REPLACE "\n" ";" rows "${rows}")
  foreach(row IN LISTS rows)
    if(row MATCHES "^([^|]+)\\|([^|]+)\\|([0-9]+)$")
      set_source_files_properties(${CMAKE_MATCH_2} TARGET_DIRECTORY ${CMAKE_MATCH_1} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_3})
    endif()
  endforeach()
  foreach(library IN LISTS libraries)
    set_target_properties(${library} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endforeach()
endfunction()

# ridge_fast_code(NAME simt_run SOURCES …) makes the objects ridge_simt_run, engine code for the better optimiser
# (RidgeSettings.cmake), which cannot read the other compiler's precompiled header.
function(ridge_fast_code)
  cmake_parse_arguments(A "" "NAME" "SOURCES" ${ARGN})
  add_library(ridge_${A_NAME} OBJECT ${A_SOURCES})
  _ridge_flavour(ridge_${A_NAME} engine ON)
  set_property(GLOBAL APPEND PROPERTY RIDGE_UNITED ridge_${A_NAME})
  if(RIDGE_FAST_CODE_LAUNCHER)
    set_target_properties(ridge_${A_NAME} PROPERTIES CXX_COMPILER_LAUNCHER "${RIDGE_FAST_CODE_LAUNCHER}")
  endif()
endfunction()

# ridge_program(NAME ridge-worker KIND … SOURCES … LIBS …)
function(ridge_program)
  cmake_parse_arguments(A "" "NAME;KIND" "SOURCES;LIBS" ${ARGN})
  _ridge_pch(pch ${A_KIND} OFF)
  add_executable(${A_NAME} ${A_SOURCES})
  _ridge_flavour(${A_NAME} ${A_KIND} OFF)
  target_link_libraries(${A_NAME} PRIVATE ${A_LIBS})
  if(A_KIND STREQUAL "engine")
    # The header was precompiled for libraries; CMake would give a program -fPIE, and the two do not mix.
    set_target_properties(${A_NAME} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${A_NAME} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${A_NAME} REUSE_FROM ${pch})
endfunction()

# "tst_x.moc", which a test includes. AUTOMOC would start two processes and compile one more file for each of two hundred
# tests, a fifth of the whole build. Other files of a test have no Q_OBJECT.
function(_ridge_test_moc target)
  set_target_properties(${target} PROPERTIES AUTOMOC OFF)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    if(name MATCHES "^tst_")
      set(made ${CMAKE_CURRENT_BINARY_DIR}/${name}.moc)
      get_source_file_property(known ${made} GENERATED)
      if(NOT known)
        qt6_generate_moc(${CMAKE_CURRENT_SOURCE_DIR}/${source} ${made})
      endif()
      target_sources(${target} PRIVATE ${made})
    endif()
  endforeach()
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# ridge_test_part(NAME golden [WIDGETS] SOURCES … LIBS …): what several tests share, compiled once.
function(ridge_test_part)
  cmake_parse_arguments(A "WIDGETS" "NAME" "SOURCES;LIBS" ${ARGN})
  set(kind test)
  if(A_WIDGETS)
    set(kind testwidgets)
  endif()
  _ridge_pch(pch ${kind} OFF)
  add_library(ridge_test_${A_NAME} STATIC ${A_SOURCES})
  set_target_properties(ridge_test_${A_NAME} PROPERTIES AUTOMOC OFF)
  _ridge_flavour(ridge_test_${A_NAME} ${kind} OFF)
  target_link_libraries(ridge_test_${A_NAME} PUBLIC ${A_LIBS})
  target_precompile_headers(ridge_test_${A_NAME} REUSE_FROM ${pch})
endfunction()

# Labels of a test: its kind, and "full" where only ./test.sh --full runs it. The fast suite, which ./test.sh and CI run,
# leaves those out (CMakePresets.json): they guard what changes seldom or need long.
function(_ridge_test_labels result label full)
  set(labels ${label})
  if(full)
    list(APPEND labels full)
  endif()
  set(${result} "${labels}" PARENT_SCOPE)
endfunction()

# Timeouts end what hangs and are stated in seconds of a quiet machine; CI's computes at a third of that speed, and others
# run beside. QTest has one of its own, of five minutes a function.
function(_ridge_patience result seconds)
  if(NOT seconds)
    set(seconds 120)
  endif()
  math(EXPR patience "4 * ${seconds}")
  if(patience GREATER 2400) # of the 90 minutes that CI has
    set(patience 2400)
  endif()
  set(${result} ${patience} PARENT_SCOPE)
endfunction()

# ridge_script_test(NAME x LABEL … [FULL] [TIMEOUT s] COMMAND …): ends with 77 where it has to be skipped.
function(ridge_script_test)
  cmake_parse_arguments(A "FULL" "NAME;LABEL;TIMEOUT" "COMMAND" ${ARGN})
  add_test(NAME ${A_NAME} COMMAND ${A_COMMAND})
  _ridge_patience(A_TIMEOUT "${A_TIMEOUT}")
  _ridge_test_labels(labels ${A_LABEL} ${A_FULL})
  set_tests_properties(${A_NAME} PROPERTIES LABELS "${labels}" TIMEOUT ${A_TIMEOUT} SKIP_RETURN_CODE 77 PROCESSORS 2)
endfunction()

# ridge_test(NAME tst_x LABEL unit|record|widget|scene|cli|lesson|kernel|journey|layers SOURCES … LIBS … [TIMEOUT s]
#            [WIDGETS] [WAITS] [FULL] [ENV K=V …] [CASES …])
# With CASES the program is registered once for each of them, as "tst_x:case", and finds it in $RIDGE_CASE.
# A test that WAITS most of its time, on others or on a clock, runs beside two that compute: the presets count half cores.
# Tests of label widget run on the offscreen platform; scene and journey in their own X server with software OpenGL.
function(ridge_test)
  cmake_parse_arguments(A "WIDGETS;WAITS;FULL" "NAME;LABEL;TIMEOUT" "SOURCES;LIBS;ENV;CASES" ${ARGN})
  set(kind test)
  if(A_WIDGETS)
    set(kind testwidgets)
  endif()
  _ridge_pch(pch ${kind} OFF)
  add_executable(${A_NAME} ${A_SOURCES})
  _ridge_test_moc(${A_NAME} ${A_SOURCES})
  _ridge_flavour(${A_NAME} ${kind} OFF)
  target_link_libraries(${A_NAME} PRIVATE ${A_LIBS})
  target_precompile_headers(${A_NAME} REUSE_FROM ${pch})
  set_target_properties(${A_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  _ridge_patience(A_TIMEOUT "${A_TIMEOUT}")
  # One thread a simulated launch: two tests run at a time, and threads that wait for each other lose their turns.
  set(env "RIDGE_SIM_THREADS=1" "RIDGE_DATA=${CMAKE_SOURCE_DIR}" "RIDGE_BIN=${CMAKE_BINARY_DIR}/bin" "RIDGE_SOURCE=${CMAKE_SOURCE_DIR}"
          "LC_ALL=C.UTF-8" "TZ=UTC" "QT_FONT_DPI=96" "LIBGL_ALWAYS_SOFTWARE=1" "QTEST_FUNCTION_TIMEOUT=${A_TIMEOUT}000" ${A_ENV})
  set(command ${A_NAME})
  set(platform "offscreen")
  if(A_LABEL STREQUAL "scene" OR A_LABEL STREQUAL "journey")
    set(command xvfb-run -a -s "-screen 0 1920x1200x24" $<TARGET_FILE:${A_NAME}>)
    set(platform "xcb")
  endif()
  list(APPEND env "QT_QPA_PLATFORM=${platform}")
  set(slots PROCESSORS 2)
  if(A_WAITS)
    set(slots PROCESSORS 1 RESOURCE_LOCK waiting)
  endif()
  _ridge_test_labels(labels ${A_LABEL} ${A_FULL})
  if(NOT A_CASES)
    add_test(NAME ${A_NAME} COMMAND ${command})
    set_tests_properties(${A_NAME} PROPERTIES LABELS "${labels}" TIMEOUT ${A_TIMEOUT} ENVIRONMENT "${env}"
                         ${slots})
  endif()
  foreach(case IN LISTS A_CASES)
    add_test(NAME ${A_NAME}:${case} COMMAND ${command})
    set_tests_properties(${A_NAME}:${case} PROPERTIES LABELS "${labels}" TIMEOUT ${A_TIMEOUT}
                         ENVIRONMENT "${env};RIDGE_CASE=${case}" ${slots})
  endforeach()
endfunction()
