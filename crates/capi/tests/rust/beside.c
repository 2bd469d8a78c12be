/* Uses meshlens and a second library of Rust in one program. */
#include <stdint.h>
#include <stdio.h>

#include "meshlens.h"

uint32_t other_sum(uint32_t count);

int main(int argc, char** argv) {
  ml_error error = {0};
  ml_asset* file = NULL;
  ml_input_file input = {argc > 1 ? argv[1] : NULL, NULL, 0, ML_ROLE_BY_NAME};
  if (argc != 2 || ml_open_files(&input, 1, NULL, &file, &error) != ML_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  ml_close(file);
  /* 0 + 1 + 2 + 3 + 4, and a panic that is caught. */
  return other_sum(5) == 10 && other_sum(0) == 7 ? 0 : 1;
}
