// A small reader of Unreal meshes, both files in one: the geometry, up to its last triangle, and then the frames.
#include "my_reader.h"

// The number of the lowest `bits` of a packed position, with its sign.
static float packed(uint32_t value, unsigned bits) {
  value &= (1u << bits) - 1;
  return (float)(int32_t)(value >> (bits - 1) ? value - (1u << bits) : value);
}

int my_read(const uint8_t *data, size_t size, my_use *use, void *context) {
  if (size < 48) return 0;
  size_t triangles = my_u16(data), vertices = my_u16(data + 2), start = 48 + 16 * triangles;
  if (!my_has(size, 48, triangles, 16) || !my_has(size, start, 4, 1)) return 0;
  size_t frames = my_u16(data + start), stride = my_u16(data + start + 2), frame = 0;
  size_t packed_size = 4 * vertices, wide_size = 8 * vertices;
  // The other layouts are mistakes of exporters.
  if (stride != packed_size && stride != wide_size) return -1;
  int is_packed = stride == packed_size, is_valid = 1;
  size_t width = is_packed ? 4 : 8;
  my_buffer positions = {NULL, 0}, corners = {NULL, 0};
  start += 4;
  // Frames at the end may be missing.
  while (frame < frames && vertices > 0 && my_has(size, start, stride, 1)) {
    if (!my_grow(&positions, vertices) || !my_grow(&corners, 3 * triangles)) {
      is_valid = 0;
      break;
    }
    for (size_t vertex = 0; vertex < vertices; vertex++) {
      const uint8_t *at = data + start + width * vertex;
      float *out = positions.values + 3 * vertex;
      for (size_t axis = 0; axis < 3; axis++) {
        out[axis] = is_packed ? packed(my_u32(at) >> 11 * axis, axis < 2 ? 11 : 10) : (float)(int16_t)my_u16(at + 2 * axis);
      }
    }
    my_frame found = {0, frame, positions.values, vertices, NULL, 0};
    if (frame == 0) {
      int is_inside = 1;
      for (size_t corner = 0; corner < 3 * triangles; corner++) {
        uint16_t index = my_u16(data + 48 + 16 * (corner / 3) + 2 * (corner % 3));
        is_inside &= my_corner(corners.values + 3 * corner, &positions, vertices, index);
      }
      found.corners = is_inside ? corners.values : NULL;
      found.corner_count = 3 * triangles;
    }
    use(context, &found);
    start += stride;
    frame++;
  }
  free(positions.values);
  free(corners.values);
  return is_valid;
}
