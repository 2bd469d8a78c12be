// The reader that differential.c compares with meshlens. The files my_*.c have a small one for each format: replace them by yours.
#ifndef MY_READER_H
#define MY_READER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The vertices of a mesh in a frame, or in a morph target.
typedef struct my_frame {
  size_t mesh, frame;
  const float *positions;  // x, y and z of each vertex
  size_t count;
  const float *corners;  // in frame 0: the position of each corner of each triangle; NULL if an index is out of range
  size_t corner_count;
} my_frame;

typedef void my_use(void *context, const my_frame *frame);

// Reads a file, and gives each frame of each mesh to `use`. Returns 1 if it is valid, 0 if not, and -1 if it is of a version
// that this reader does not know.
int my_read(const uint8_t *data, size_t size, my_use *use, void *context);

static inline uint16_t my_u16(const uint8_t *at) { return (uint16_t)(at[0] | at[1] << 8); }
static inline uint32_t my_u32(const uint8_t *at) { return my_u16(at) | (uint32_t)my_u16(at + 2) << 16; }
static inline float my_f32(const uint8_t *at) {
  uint32_t bits = my_u32(at);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Whether `count` elements of `stride` bytes at `at` are in the file.
static inline int my_has(size_t size, size_t at, size_t count, size_t stride) {
  return at <= size && count <= (size - at) / stride;
}

// Memory that is used for one frame after another.
typedef struct my_buffer {
  float *values;
  size_t room;
} my_buffer;

// Makes room for `count` positions.
static inline int my_grow(my_buffer *buffer, size_t count) {
  if (count > buffer->room || buffer->values == NULL) {
    free(buffer->values);
    buffer->values = malloc((count + 1) * 3 * sizeof(float));
    buffer->room = count;
  }
  return buffer->values != NULL;
}

// Copies the position of a vertex to a corner. Returns 0 if there is no such vertex.
static inline int my_corner(float *corner, const my_buffer *positions, size_t count, uint32_t index) {
  if (index >= count) return 0;
  memcpy(corner, positions->values + 3 * (size_t)index, 3 * sizeof(float));
  return 1;
}

#endif
