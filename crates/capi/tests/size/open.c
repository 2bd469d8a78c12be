/* The smallest program: its size is what a static link costs. */
#include <stdio.h>

#include "meshlens.h"

int main(int argc, char** argv) {
  ml_error error = {0};
  ml_asset* file = NULL;
  ml_input_file input = {argc > 1 ? argv[1] : NULL, NULL, 0, ML_ROLE_BY_NAME};
  if (argc != 2 || ml_open_files(&input, 1, NULL, &file, &error) != ML_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  ml_close(file);
  return 0;
}
