// Structure-aware mutators of game mesh formats, for fuzzers in C and C++.
//
// libFuzzer: add libfuzzer.c to the target, and link the library. AFL++: AFL_CUSTOM_MUTATOR_LIBRARY names the shared library,
// which has afl_custom_init, afl_custom_fuzz and afl_custom_deinit. Fuzzers of your own call the functions below.
//
// The environment variable MESHLENS_MUTATE names the kind of files: md3, unreal, u3d, u3d-aes, unigine-mesh or unigine-anim.
// Without it, a file has the kind that its first bytes say. Files of the kind "unreal" are a pair in one buffer: the geometry
// (_d.3d), up to its last triangle, and then the frames (_a.3d). MESHLENS_MUTATE_PASSWORD is the password of files of the kind
// "u3d-aes"; without it, it is "secret".
//
// Results depend on the arguments alone. All functions can be called by several threads.
#ifndef MESHLENS_MUTATE_H
#define MESHLENS_MUTATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Changes a file of size bytes in place. Returns its new size, at most max_size; data has room for max_size bytes. More than
// half of the results parse.
size_t ml_mutate(uint8_t *data, size_t size, size_t max_size, uint64_t seed);

// Puts a part of one file into another, and writes the result to out, which has room for max_size bytes. Returns its size.
size_t ml_cross_over(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size, uint8_t *out,
                     size_t max_size, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
