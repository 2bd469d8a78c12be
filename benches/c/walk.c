/* A hand-written loader of MD3 files, with which the bench `files` compares.
 *
 * Each function opens a file by its path and closes it. It returns -1 for a file that it cannot load. */

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = 108, SURFACE = 108, FRAME = 56, TAG = 112, SHADER = 68, TRIANGLE = 12, TEXCOORD = 8, VERTEX = 8 };

static int32_t word(const unsigned char *at) {
    int32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Whether `count` records of `size` bytes at `offset` lie in `len` bytes. */
static int fits(int32_t offset, int32_t count, uint64_t size, uint64_t len) {
    return offset >= 0 && count >= 0 && (uint64_t)offset + (uint64_t)count * size <= len;
}

/* The number of vertices of one frame, or with `indices` the number of surfaces whose indices are all in range. */
static int64_t walk(const unsigned char *file, uint64_t len, int indices) {
    if (len < HEADER || memcmp(file, "IDP3", 4) != 0 || word(file + 4) != 15) return -1;
    int32_t frames = word(file + 76), surfaces = word(file + 84);
    if (!fits(word(file + 92), frames, FRAME, len)) return -1;
    if (frames > 0 && !fits(word(file + 96), word(file + 80), (uint64_t)frames * TAG, len)) return -1;
    int32_t offset = word(file + 100);
    if (offset < 0 || surfaces < 0) return -1;
    uint64_t start = (uint64_t)offset;
    int64_t found = 0;
    for (int32_t number = 0; number < surfaces; number++) {
        if (start + SURFACE > len) return -1;
        const unsigned char *surface = file + start;
        uint64_t room = len - start;
        int32_t vertices = word(surface + 80), triangles = word(surface + 84), end = word(surface + 104);
        if (memcmp(surface, "IDP3", 4) != 0 || word(surface + 72) < 0 || vertices < 0 || end < SURFACE) return -1;
        if (!fits(word(surface + 92), word(surface + 76), SHADER, room)) return -1;
        if (!fits(word(surface + 88), triangles, TRIANGLE, room)) return -1;
        if (!fits(word(surface + 96), vertices, TEXCOORD, room)) return -1;
        if (!fits(word(surface + 100), vertices, (uint64_t)word(surface + 72) * VERTEX, room)) return -1;
        if (indices) {
            const unsigned char *index = surface + word(surface + 88);
            uint32_t bad = 0;
            for (int64_t at = 0; at < 3 * (int64_t)triangles; at++)
                bad |= (uint32_t)word(index + 4 * at) >= (uint32_t)vertices;
            found += !bad;
        } else {
            found += vertices;
        }
        start += (uint64_t)end;
    }
    return found;
}

int64_t walk_map(const char *path, int indices) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat state;
    if (file < 0) return -1;
    if (fstat(file, &state) != 0 || state.st_size == 0) {
        close(file);
        return -1;
    }
    size_t len = (size_t)state.st_size;
    unsigned char *bytes = mmap(0, len, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (bytes == MAP_FAILED) return -1;
    int64_t found = walk(bytes, len, indices);
    munmap(bytes, len);
    return found;
}

/* Reads a file of at most `room` bytes into `bytes`. Returns its length. */
int64_t read_whole(const char *path, unsigned char *bytes, uint64_t room) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat state;
    if (file < 0) return -1;
    int64_t len = -1;
    if (fstat(file, &state) == 0 && (uint64_t)state.st_size <= room) {
        len = 0;
        while (len < state.st_size) {
            ssize_t more = read(file, bytes + len, (size_t)(state.st_size - len));
            if (more <= 0) break;
            len += more;
        }
    }
    close(file);
    return len;
}
