// A small reader of MD3 models.
#include "my_reader.h"

// The number at an offset of a header that is in the file, or SIZE_MAX if it is negative.
static size_t number(const uint8_t *header, size_t at) {
  uint32_t value = my_u32(header + at);
  return value <= INT32_MAX ? value : SIZE_MAX;
}

static int surface(const uint8_t *at, size_t size, size_t mesh, size_t frames, my_buffer buffers[2], my_use *use,
                   void *context) {
  // Engines use the number of frames of the model where a surface has none.
  if (my_u32(at + 72) != 0) frames = number(at, 72);
  size_t vertices = number(at, 80), triangles = number(at, 84);
  size_t indices = number(at, 88), positions = number(at, 100);
  if (!my_has(size, indices, triangles, 12)) return 0;
  for (size_t frame = 0; frame < frames && vertices > 0; frame++) {
    if (!my_has(size, positions, vertices, 8) || !my_grow(&buffers[0], vertices)) return 0;
    const uint8_t *in = at + positions;
    for (size_t vertex = 0; vertex < vertices; vertex++) {
      for (size_t axis = 0; axis < 3; axis++) {
        buffers[0].values[3 * vertex + axis] = (float)(int16_t)my_u16(in + 8 * vertex + 2 * axis) / 64.0f;
      }
    }
    my_frame found = {mesh, frame, buffers[0].values, vertices, NULL, 0};
    if (frame == 0) {
      if (!my_grow(&buffers[1], 3 * triangles)) return 0;
      int is_valid = 1;
      for (size_t corner = 0; corner < 3 * triangles; corner++) {
        uint32_t index = my_u32(at + indices + 4 * corner);
        is_valid &= my_corner(buffers[1].values + 3 * corner, &buffers[0], vertices, index);
      }
      found.corners = is_valid ? buffers[1].values : NULL;
      found.corner_count = 3 * triangles;
    }
    use(context, &found);
    positions += 8 * vertices;
  }
  return 1;
}

int my_read(const uint8_t *data, size_t size, my_use *use, void *context) {
  if (size < 108 || memcmp(data, "IDP3\x0f\0\0\0", 8) != 0) return -1;
  size_t frames = number(data, 76), surfaces = number(data, 84), start = number(data, 100), mesh = 0;
  my_buffer buffers[2] = {{NULL, 0}, {NULL, 0}};
  int is_valid = number(data, 104) <= size;
  while (is_valid && mesh < surfaces) {
    is_valid = my_has(size, start, 108, 1) && surface(data + start, size - start, mesh, frames, buffers, use, context);
    // A surface that is smaller than its header: the surfaces have no end.
    if (is_valid && number(data + start, 104) < 108) is_valid = 0;
    if (is_valid) start += number(data + start, 104);
    mesh++;
  }
  free(buffers[0].values);
  free(buffers[1].values);
  return is_valid;
}
