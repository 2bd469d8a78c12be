// The header and the library have the same version, and a model opens.
#include <meshlens.h>

int main(int argc, char** argv) {
  ml_asset* file = NULL;
  ml_input_file input = {argc > 1 ? argv[1] : NULL, NULL, 0, ML_ROLE_BY_NAME};
  int ok = argc == 2 && ml_abi_version() == ML_ABI_VERSION && ml_open_files(&input, 1, NULL, &file, NULL) == ML_OK;
  ml_close(file);
  return ok ? 0 : 1;
}
