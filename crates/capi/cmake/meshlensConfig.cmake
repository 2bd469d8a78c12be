# find_package(meshlens): the target meshlens::meshlens. It is found in
# - a prefix with include/meshlens.h and lib/libmeshlens, in which this file is share/meshlens/cmake/meshlensConfig.cmake, or
# - the source of meshlens, after `cargo build --release -p meshlens-capi`: set meshlens_DIR to crates/capi/cmake.
#   The library is the one in target/release, or in the folder that meshlens_LIBRARY_DIR names.
#
# The shared library is preferred; set MESHLENS_STATIC for the static one.
if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/../cbindgen.toml")
  set(meshlens_name meshlens_capi)
  set(meshlens_include "${CMAKE_CURRENT_LIST_DIR}/../include")
  get_filename_component(meshlens_libraries "${CMAKE_CURRENT_LIST_DIR}/../../../target/release" ABSOLUTE)
  if(meshlens_LIBRARY_DIR)
    set(meshlens_libraries "${meshlens_LIBRARY_DIR}")
  endif()
else()
  set(meshlens_name meshlens)
  get_filename_component(meshlens_libraries "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  set(meshlens_include "${meshlens_libraries}/include")
endif()
find_path(meshlens_INCLUDE_DIR meshlens.h PATHS "${meshlens_include}" NO_DEFAULT_PATH)
if(MESHLENS_STATIC)
  set(meshlens_name ${CMAKE_STATIC_LIBRARY_PREFIX}${meshlens_name}${CMAKE_STATIC_LIBRARY_SUFFIX})
endif()
find_library(meshlens_LIBRARY NAMES ${meshlens_name} PATHS "${meshlens_libraries}"
  PATH_SUFFIXES "lib/${CMAKE_LIBRARY_ARCHITECTURE}" lib lib64 NO_DEFAULT_PATH)
mark_as_advanced(meshlens_INCLUDE_DIR meshlens_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(meshlens REQUIRED_VARS meshlens_LIBRARY meshlens_INCLUDE_DIR HANDLE_COMPONENTS)

if(meshlens_FOUND AND NOT TARGET meshlens::meshlens)
  add_library(meshlens::meshlens UNKNOWN IMPORTED)
  set_target_properties(meshlens::meshlens PROPERTIES
    IMPORTED_LOCATION "${meshlens_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${meshlens_INCLUDE_DIR}")
  if(meshlens_LIBRARY MATCHES "\\.a$")
    # What the Rust standard library needs of the system.
    find_package(Threads REQUIRED)
    set_property(TARGET meshlens::meshlens PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads ${CMAKE_DL_LIBS} m)
  endif()
endif()
