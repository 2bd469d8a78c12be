// Your parser against meshlens, through its C interface: both read the same bytes, and their results are compared.
// ../fuzz-your-own.md says how to build it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meshlens.h"

// Replace the next three functions with your parser.

static int read_int(const uint8_t* data, size_t size, size_t at, size_t* value) {
  if (at > size || size - at < 4) return 0;
  uint32_t bits =
      (uint32_t)data[at] | (uint32_t)data[at + 1] << 8 | (uint32_t)data[at + 2] << 16 | (uint32_t)data[at + 3] << 24;
  *value = bits;
  return bits <= INT32_MAX;
}

// The number of surfaces of an MD3 model; 0 if it is none, or has no frame.
static size_t my_surface_count(const uint8_t* data, size_t size) {
  size_t frames, surfaces;
  if (size < 8 || memcmp(data, "IDP3\x0f\0\0\0", 8) != 0) return 0;
  return read_int(data, size, 76, &frames) && frames > 0 && read_int(data, size, 84, &surfaces) ? surfaces : 0;
}

// The stored vertices of frame 0 of a surface, 8 bytes each: three coordinates in 1/64 units, and a normal. NULL if they
// are not in the file.
static const uint8_t* my_vertices(const uint8_t* data, size_t size, size_t surface, size_t* count) {
  size_t start, offset, end;
  if (!read_int(data, size, 100, &start)) return NULL;
  for (; surface > 0; surface--) {
    if (start > size || !read_int(data, size, start + 104, &end) || end == 0 || end > size) return NULL;
    start += end;
  }
  if (start > size || !read_int(data, size, start + 80, count) || !read_int(data, size, start + 100, &offset)) {
    return NULL;
  }
  if (offset > size - start || *count > (size - start - offset) / 8) return NULL;
  return data + start + offset;
}

static void check(int is_same, const char* what, size_t surface) {
  if (is_same) return;
  fprintf(stderr, "%s of surface %zu differ\n", what, surface);
  abort();
}

// Compares one array of positions of meshlens.
static void compare(const uint8_t* data, size_t size, const ml_asset* file, size_t index, const ml_array* array) {
  size_t count = 0;
  const uint8_t* mine = my_vertices(data, size, array->mesh, &count);
  check(mine != NULL && count == array->count, "counts", array->mesh);
  if (count == 0) return;
  float* theirs = malloc(count * 3 * sizeof(float));
  if (theirs == NULL) return;
  check(ml_decode(file, index, NULL, theirs, count * 3 * sizeof(float), NULL) == ML_OK, "values", array->mesh);
  for (size_t vertex = 0; vertex < count; vertex++) {
    for (size_t axis = 0; axis < 3; axis++) {
      const uint8_t* at = mine + 8 * vertex + 2 * axis;
      float position = (float)(int16_t)(at[0] | at[1] << 8) / 64.0f;
      check(memcmp(&position, &theirs[3 * vertex + axis], sizeof position) == 0, "positions", array->mesh);
    }
  }
  free(theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ml_asset* file = NULL;
  // A reader that checks less than meshlens reads more files: frames, tags and shaders may lie outside them. Compare the
  // results here as well for a parser that claims to check everything.
  if (my_surface_count(data, size) == 0 || ml_open_memory(data, size, NULL, &file, NULL) != ML_OK) return 0;
  size_t count = 0;
  ml_get_array_count(file, &count, NULL);
  for (size_t index = 0; index < count; index++) {
    ml_array array = {0};
    array.size = sizeof array;
    if (ml_get_array(file, index, &array, NULL) == ML_OK && array.semantic == ML_SEMANTIC_POSITION && array.frame == 0) {
      compare(data, size, file, index, &array);
    }
  }
  ml_close(file);
  return 0;
}
