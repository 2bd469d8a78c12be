// The mutators of meshlens for a target of libFuzzer, in C or C++. Compile it into the target.
#include "../include/meshlens_mutate.h"

// libFuzzer's own changes, with its dictionary and the values that the target compares.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  return seed % 8 == 0 ? LLVMFuzzerMutate(data, size, max_size) : ml_mutate(data, size, max_size, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size,
                                 uint8_t *out, size_t max_size, unsigned int seed) {
  return ml_cross_over(first, first_size, second, second_size, out, max_size, seed);
}
