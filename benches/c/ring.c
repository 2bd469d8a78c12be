/* The least that reading 10,000 small files can cost: each opened, looked at, read and closed by threads, or by io_uring, whose
 * rings open, read and close 32 files by one submission of linked operations, without looking at them.
 *
 *   gcc -O2 benches/c/ring.c -o target/ring -lpthread && target/ring FOLDER */

#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FILES = 10000, SIZE = 23872, TOGETHER = 32, ENTRIES = 128 };

static char paths[FILES][300];
static int next, wanted;

static void check(int is_well, const char* what) {
  if (is_well) return;
  perror(what);
  exit(1);
}

static void* by_thread(void* unused) {
  char* bytes = malloc(SIZE);
  for (int i; (i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < FILES;) {
    struct stat before, after;
    int file = open(paths[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    check(fstat(file, &before) == 0 && pread(file, bytes, wanted, 0) == wanted && fstat(file, &after) == 0, paths[i]);
    close(file);
  }
  free(bytes);
  return unused;
}

static void* by_ring(void* unused) {
  struct io_uring_params p = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN};
  int ring = syscall(__NR_io_uring_setup, ENTRIES, &p);
  check(ring >= 0 && p.features & IORING_FEAT_SINGLE_MMAP, "io_uring_setup");
  size_t len = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
  char* at = mmap(0, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
  struct io_uring_sqe* entries =
      mmap(0, p.sq_entries * sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
  check(at != MAP_FAILED && entries != MAP_FAILED, "mmap");
  unsigned *tail = (void*)(at + p.sq_off.tail), *order = (void*)(at + p.sq_off.array);
  unsigned *head = (void*)(at + p.cq_off.head), *end = (void*)(at + p.cq_off.tail);
  struct io_uring_cqe* results = (void*)(at + p.cq_off.cqes);
  int none[TOGETHER];
  memset(none, -1, sizeof none);
  check(syscall(__NR_io_uring_register, ring, IORING_REGISTER_FILES, none, TOGETHER) == 0, "io_uring_register");
  char* bytes = malloc((size_t)TOGETHER * SIZE);
  for (int first; (first = __atomic_fetch_add(&next, TOGETHER, __ATOMIC_RELAXED)) < FILES;) {
    unsigned count = 0, at_tail = *tail;
    for (int slot = 0; slot < TOGETHER && first + slot < FILES; slot++) {
      struct io_uring_sqe three[] = {
          {.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = (uintptr_t)paths[first + slot],
           .open_flags = O_RDONLY | O_NONBLOCK, .file_index = slot + 1, .flags = IOSQE_IO_LINK},
          {.opcode = IORING_OP_READ, .fd = slot, .addr = (uintptr_t)(bytes + (size_t)slot * SIZE), .len = wanted,
           .flags = IOSQE_IO_LINK | IOSQE_FIXED_FILE, .user_data = wanted},
          {.opcode = IORING_OP_CLOSE, .file_index = slot + 1},
      };
      for (int i = 0; i < 3; i++, count++) {
        unsigned place = (at_tail + count) % p.sq_entries;
        entries[place] = three[i];
        order[place] = place;
      }
    }
    __atomic_store_n(tail, at_tail + count, __ATOMIC_RELEASE);
    unsigned submitted = count;
    while (count > 0) {
      check(syscall(__NR_io_uring_enter, ring, submitted, count, IORING_ENTER_GETEVENTS, 0, 0) >= 0, "io_uring_enter");
      submitted = 0;
      for (; *head != __atomic_load_n(end, __ATOMIC_ACQUIRE); count--) {
        struct io_uring_cqe* result = &results[*head % p.cq_entries];
        check(result->res == (int)result->user_data, "an operation");
        __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
      }
    }
  }
  close(ring);
  free(bytes);
  return unused;
}

static double measure(void* (*run)(void*), int threads, int is_cold) {
  for (int i = 0; is_cold && i < FILES; i++) {
    int file = open(paths[i], O_RDONLY);
    check(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0, "posix_fadvise");
    close(file);
  }
  struct timespec begun, ended;
  pthread_t all[16];
  next = 0;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  for (int i = 0; i < threads; i++) pthread_create(&all[i], 0, run, 0);
  for (int i = 0; i < threads; i++) pthread_join(all[i], 0);
  clock_gettime(CLOCK_MONOTONIC, &ended);
  return ((ended.tv_sec - begun.tv_sec) * 1e6 + (ended.tv_nsec - begun.tv_nsec) / 1e3) / FILES;
}

int main(int argc, char** argv) {
  check(argc == 2, "usage: ring FOLDER");
  char* bytes = calloc(1, SIZE);
  for (int i = 0; i < FILES; i++) {
    snprintf(paths[i], sizeof paths[i], "%s/%d", argv[1], i);
    int file = open(paths[i], O_WRONLY | O_CREAT, 0644);
    check(write(file, bytes, SIZE) == SIZE && close(file) == 0, paths[i]);
  }
  sync();
  for (int round = 0; round < 3; round++) {
    for (int is_cold = 0; is_cold < 2; is_cold++) {
      for (wanted = 256; wanted <= SIZE; wanted += SIZE - 256) {
        printf("%5d bytes of a file, %s: threads 1: %5.2f, 2: %5.2f, 16: %5.2f; rings 1: %5.2f, 2: %5.2f us\n", wanted,
               is_cold ? "cold" : "warm", measure(by_thread, 1, is_cold), measure(by_thread, 2, is_cold),
               measure(by_thread, 16, is_cold), measure(by_ring, 1, is_cold), measure(by_ring, 2, is_cold));
      }
    }
  }
}
