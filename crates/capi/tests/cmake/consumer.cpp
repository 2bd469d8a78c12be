// A model opens, and an error is an exception.
#include <meshlens.hpp>

int main(int argc, char** argv) {
  if (argc != 2 || ml::asset::open(argv[1]).meshes().empty()) return 1;
  try {
    ml::asset::open("no/such/file.md3");
  } catch (const ml::error& error) {
    return error.code() == ML_ERROR_NOT_FOUND ? 0 : 1;
  }
  return 1;
}
