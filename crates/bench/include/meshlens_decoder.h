/* The interface of a decoder for `meshlens bench --decoder`: a shared library with the function `meshlens_decode_v1`.
 *
 *     cc -O2 -shared -fPIC -I crates/bench/include -o mine.so mine.c
 *
 * `benches/c/walk.c` is an example. */
#ifndef MESHLENS_DECODER_H
#define MESHLENS_DECODER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of a file. */
struct meshlens_file {
    const unsigned char *bytes;
    size_t len;
};

/* A decoded array, with the name and the numbers that it has in `meshlens dump`; what does not apply is 0. Elements are what
 * meshlens decodes to: three floats for a position or normal, two for texture coordinates, the indices of a triangle in the
 * order of the file. A loader that keeps no indices gives "corner_positions": three positions for each triangle. */
struct meshlens_array {
    const char *name; /* "positions", "normals", "texcoords", "triangles" and so on */
    size_t mesh, set, frame, lod, bone;
    const void *first; /* `count` elements, one every `stride` bytes; they need no alignment */
    size_t count, stride;
};

/* Takes an array. Its memory must be valid during the call. `to` is the argument of `meshlens_decode_v1`. */
typedef void meshlens_give(void *to, const struct meshlens_array *array);

/* Decodes a file, or the geometry and the frames of an Unreal mesh, and calls `give` for each array, on the same thread.
 * Returns 0, or another number for a file that the decoder does not read. It is called many times, by one thread, and may keep
 * its buffers. A call that takes longer than `--decoder-limit`, 60 s by default, ends the program. */
int meshlens_decode_v1(const struct meshlens_file *files, size_t count, meshlens_give *give, void *to);

#ifdef __cplusplus
}
#endif
#endif
