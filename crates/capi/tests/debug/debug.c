// Something for a debugger to look at.
#include "meshlens.h"

static void stop_here(const ml_asset* file) { (void)file; }

int main(int argc, char** argv) {
  ml_asset* file = NULL;
  ml_input_file input = {argc > 1 ? argv[1] : NULL, NULL, 0, ML_ROLE_BY_NAME};
  ml_error error = {0};
  ml_array array = {0};
  ml_bounds bounds = {{0, 0, 0}, {0, 0, 0}};
  ml_matrix matrix = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1}};
  ml_blend blend = {1, 2, 0.5f};
  ml_open_memory("IDP3\17\0\0\0", 8, NULL, &file, &error);
  if (argc < 2 || ml_open_files(&input, 1, NULL, &file, NULL) != ML_OK) return 2;
  for (size_t i = 0; ml_get_array(file, i, &array, NULL) == ML_OK && array.semantic != ML_SEMANTIC_POSITION;) i++;
  ml_get_bounds(file, 0, 0, &bounds, NULL);
  stop_here(file);
  ml_close(file);
  return matrix.m[0] + blend.weight < 0;
}
