# find_package(meshlens): the target meshlens::meshlens, from a prefix with include/meshlens.h and lib/libmeshlens.
#
# The shared library is preferred; set MESHLENS_STATIC for the static one.
get_filename_component(meshlens_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_path(meshlens_INCLUDE_DIR meshlens.h PATHS "${meshlens_prefix}/include" NO_DEFAULT_PATH)
if(MESHLENS_STATIC)
  set(meshlens_names ${CMAKE_STATIC_LIBRARY_PREFIX}meshlens${CMAKE_STATIC_LIBRARY_SUFFIX})
else()
  set(meshlens_names meshlens)
endif()
find_library(meshlens_LIBRARY NAMES ${meshlens_names} PATHS "${meshlens_prefix}"
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
