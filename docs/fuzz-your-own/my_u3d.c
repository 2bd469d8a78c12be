// A small reader of Ultimate 3D models, of version 2.0.
#include "my_reader.h"

// What the header of the model says about all meshes.
typedef struct model {
  size_t floats;   // of the texture coordinates of a vertex
  size_t weights;  // of a vertex
} model;

static int mesh(const uint8_t *data, size_t size, size_t number, model model, my_buffer buffers[2], my_use *use,
                void *context) {
  if (size < 12) return 0;
  uint32_t frame = my_u32(data + 8);
  const uint8_t *name_end = memchr(data + 12, 0, size - 12);
  if (name_end == NULL) return 0;
  size_t at = (size_t)(name_end - data) + 6;
  if (!my_has(size, at, 4, 1)) return 0;
  size_t vertices = my_u32(data + at);
  at += 4;
  if (!my_has(size, at, vertices, 12) || !my_grow(&buffers[0], vertices)) return 0;
  for (size_t value = 0; value < 3 * vertices; value++) buffers[0].values[value] = my_f32(data + at + 4 * value);
  my_frame found = {number, frame, buffers[0].values, vertices, NULL, 0};
  size_t skin = model.weights > 0 ? 4 * model.weights + 4 : 0;
  size_t vertex = 12 + 4 + 4 * model.floats + skin;
  // Early files have normals of 2 bytes: triangles are then not read.
  if (my_has(size, at, vertices, vertex) && my_has(size, at + vertices * vertex, 5, 1)) {
    at += vertices * vertex;
    size_t triangles = my_u32(data + at), width = vertices > 65536 ? 4 : 2;
    int is_owned = data[at + 4] & 1;
    at += 5;
    // Indices and materials, and whether there is a shadow.
    if (is_owned && my_has(size, at, triangles, 3 * width + 2) && size - at == triangles * (3 * width + 2) + 1) {
      if (!my_grow(&buffers[1], 3 * triangles)) return 0;
      int is_inside = 1;
      for (size_t corner = 0; corner < 3 * triangles; corner++) {
        uint32_t index = width == 2 ? my_u16(data + at + 2 * corner) : my_u32(data + at + 4 * corner);
        is_inside &= my_corner(buffers[1].values + 3 * corner, &buffers[0], vertices, index);
      }
      found.corners = is_inside ? buffers[1].values : NULL;
      found.corner_count = 3 * triangles;
    }
  }
  use(context, &found);
  return 1;
}

static int header(const uint8_t *data, size_t size, model *model) {
  if (size < 25) return 0;
  size_t at = 25, lods = my_u32(data + 12);
  if (!my_has(size, at, lods, 4)) return 0;
  at += 4 * lods;
  if (!my_has(size, at, 36, 1)) return 0;
  model->floats = 0;
  for (size_t set = 0; set < 8; set++, at += 4) model->floats += my_u32(data + at);
  model->weights = my_u32(data + at);
  // More than any file has, and small enough that no size of a vertex overflows.
  return model->floats <= 32 && model->weights <= 255;
}

int my_read(const uint8_t *data, size_t size, my_use *use, void *context) {
  if (size < 37 || memcmp(data, "$U3D_FILE_HEADER", 17) != 0) return -1;
  if (my_u32(data + 21) != 2 || my_u32(data + 33) != 0) return -1;
  my_buffer buffers[2] = {{NULL, 0}, {NULL, 0}};
  model all = {0, 0};
  size_t at = 0, meshes = 0;
  int is_valid = 1;
  while (is_valid && at < size) {
    const char *name = (const char *)data + at;
    const uint8_t *end = memchr(name, 0, size - at);
    if (end == NULL || !my_has(size, (size_t)(end - data) + 1, 4, 1)) {
      is_valid = 0;
      break;
    }
    size_t chunk = my_u32(end + 1);
    at = (size_t)(end - data) + 5;
    if (!my_has(size, at, chunk, 1)) {
      is_valid = 0;
      break;
    }
    if (strcmp(name, "$U3D_MODEL_HEADER") == 0) is_valid = header(data + at, chunk, &all);
    if (strcmp(name, "$U3D_MESH") == 0) is_valid = mesh(data + at, chunk, meshes++, all, buffers, use, context);
    at += chunk;
  }
  free(buffers[0].values);
  free(buffers[1].values);
  return is_valid;
}
