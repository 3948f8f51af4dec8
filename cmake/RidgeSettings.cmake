# SPDX-License-Identifier: GPL-3.0-or-later
# Language, warnings, caching and third-party packages, in one place.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# -O2 rather than -O3: the same speed where it matters here and a shorter build.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# The compilers that tools/setup.sh installs on Debian 12 must be silent; another one may warn about things this project
# has not met yet.
set(_werror OFF)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
   OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^(14|22)\\."))
  set(_werror ON)
endif()
option(RIDGE_WERROR "Treat warnings as errors" ${_werror})
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(RIDGE_WERROR)
  add_compile_options(-Werror)
endif()
# std::stable_sort of Debian 12's library uses what that library itself declares deprecated; clang 14 does not see it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
  add_compile_options(-Wno-deprecated-declarations)
endif()
# A field that a designated initialiser leaves out has the value its declaration gives it, and that is meant.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19)
  add_compile_options(-Wno-missing-designated-field-initializers)
endif()
if(RIDGE_SANITIZE)
  add_compile_options(-fsanitize=${RIDGE_SANITIZE} -fno-omit-frame-pointer -g1)
  # g++ 12 at -O1 sees std::string's own buffer overrun where a short text is appended; the sanitizer would know. clang
  # does not know two of the names.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-maybe-uninitialized)
  endif()
  add_link_options(-fsanitize=${RIDGE_SANITIZE})
endif()

if(RIDGE_FUZZ)
  # Instrumented loops are not vectorised, which clang would call a failed pass.
  add_compile_options(-fsanitize=fuzzer-no-link -Wno-pass-failed)
endif()

find_program(RIDGE_CCACHE ccache)
set(_launcher)
if(RIDGE_CCACHE)
  # Precompiled headers carry time stamps that ccache must be told to look past. What a file depends on it learns from the
  # compiler: to run the preprocessor first would cost a first build a fifth of its time. It keeps the digest of a file by
  # inode: a precompiled header has 100 MB, which it would read for each of a thousand files. env, because cmake -E env
  # takes 27 ms to start.
  set(_launcher env CCACHE_DEPEND=1 CCACHE_INODECACHE=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${RIDGE_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  else()
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
set(CMAKE_CXX_COMPILER_LAUNCHER ${_launcher})

# Two compilers, each where it is much better (figures in docs/benchmarks.md): clang builds nearly everything, because
# it loads a precompiled header in a tenth of g++'s time; g++ builds the simulator's inner loops, which run 1.1 to 1.9
# times as fast as clang's. Sanitizer builds use g++ alone: the two do not share a sanitizer runtime.
set(RIDGE_FAST_CODE_LAUNCHER)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT RIDGE_SANITIZE)
  find_program(RIDGE_GXX g++)
  if(RIDGE_GXX)
    set(RIDGE_FAST_CODE_LAUNCHER ${CMAKE_SOURCE_DIR}/tools/as-gxx ${RIDGE_GXX} ${_launcher})
  endif()
endif()

# Links the two hundred programs in a third of the time of GNU's.
find_program(RIDGE_LLD ld.lld)
if(RIDGE_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
endif()

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
# fmt is compiled into base; sodium, minizip, zlib and protobuf are static: ridge-worker runs on a machine that has none of
# them.
find_package(fmt REQUIRED)
find_library(RIDGE_SODIUM libsodium.a REQUIRED)
find_library(RIDGE_MINIZIP libminizip.a REQUIRED)
find_library(RIDGE_ZLIB libz.a REQUIRED)
find_library(RIDGE_PROTOBUF libprotobuf-lite.a REQUIRED)

if(RIDGE_FUZZ)
  set(CMAKE_AUTOMOC ON)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Core Sql)
endif()
if(RIDGE_BUILD_APP)
  set(CMAKE_AUTOMOC ON)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Core Sql Gui Widgets OpenGL OpenGLWidgets Charts Svg PrintSupport Test)
  # Qt names each test's build folder in a definition, which would keep tests of different folders from sharing one
  # precompiled header; only QFINDTESTDATA reads it, and no test here uses that.
  set_property(TARGET Qt6::Test PROPERTY INTERFACE_COMPILE_DEFINITIONS QT_TESTLIB_LIB)
  find_package(yaml-cpp REQUIRED)
  find_package(CLI11 REQUIRED)
endif()
