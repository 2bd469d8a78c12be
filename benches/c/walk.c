/* A hand-written decoder of MD3 files, for `meshlens bench --decoder`: it checks every range and every index. `benches/decoders`
 * compiles it. */

#include "../../crates/bench/include/meshlens_decoder.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 108, SURFACE = 108, FRAME = 56, TAG = 112, SHADER = 68, TRIANGLE = 12, TEXCOORD = 8, VERTEX = 8 };

static float sine[256], cosine[256];

/* Kept from file to file. */
static unsigned char *buffer;
static size_t room;

__attribute__((constructor)) static void fill(void) {
    for (int code = 0; code < 256; code++) {
        double angle = code * (6.283185307179586 / 256);
        sine[code] = (float)sin(angle);
        cosine[code] = (float)cos(angle);
    }
}

static int32_t word(const unsigned char *at) {
    int32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Whether `count` records of `size` bytes at `offset` lie in `len` bytes. */
static int fits(int32_t offset, int32_t count, uint64_t size, uint64_t len) {
    return offset >= 0 && count >= 0 && (uint64_t)offset + (uint64_t)count * size <= len;
}

static void decode_vertices(const unsigned char *in, size_t count, float *out) {
    for (size_t v = 0; v < count; v++, in += VERTEX, out += 6) {
        int16_t position[3];
        memcpy(position, in, sizeof position);
        for (int axis = 0; axis < 3; axis++) out[axis] = (float)position[axis] * (1.0f / 64);
        out[3] = cosine[in[7]] * sine[in[6]];
        out[4] = sine[in[7]] * sine[in[6]];
        out[5] = cosine[in[6]];
    }
}

/* Decodes a surface. Returns its length, 0 if it is not valid. */
static uint64_t decode_surface(const unsigned char *surface, uint64_t len, size_t mesh, meshlens_give *give, void *to) {
    if (len < SURFACE || memcmp(surface, "IDP3", 4) != 0) return 0;
    int32_t frames = word(surface + 72), vertices = word(surface + 80), triangles = word(surface + 84);
    int32_t end = word(surface + 104);
    if (frames < 0 || vertices < 0 || end < SURFACE) return 0;
    if (!fits(word(surface + 92), word(surface + 76), SHADER, len)) return 0;
    if (!fits(word(surface + 88), triangles, TRIANGLE, len)) return 0;
    if (!fits(word(surface + 96), vertices, TEXCOORD, len)) return 0;
    if (!fits(word(surface + 100), vertices, (uint64_t)frames * VERTEX, len)) return 0;

    size_t size = (size_t)vertices * 24 > (size_t)triangles * TRIANGLE ? (size_t)vertices * 24 : (size_t)triangles * TRIANGLE;
    if (size > room) {
        free(buffer);
        buffer = malloc(room = size);
        if (!buffer) return room = 0;
    }
    const unsigned char *index = surface + word(surface + 88);
    uint32_t bad = 0;
    for (int64_t at = 0; at < 3 * (int64_t)triangles; at++) {
        uint32_t value = (uint32_t)word(index + 4 * at);
        bad |= value >= (uint32_t)vertices;
        memcpy(buffer + 4 * at, &value, 4);
    }
    if (bad) return 0;
    give(to, &(struct meshlens_array){
        .name = "triangles", .mesh = mesh, .first = buffer, .count = (size_t)triangles, .stride = TRIANGLE});
    memcpy(buffer, surface + word(surface + 96), (size_t)vertices * TEXCOORD);
    give(to, &(struct meshlens_array){
        .name = "texcoords", .mesh = mesh, .first = buffer, .count = (size_t)vertices, .stride = TEXCOORD});
    for (int32_t frame = 0; frame < frames; frame++) {
        const unsigned char *stored = surface + word(surface + 100) + (size_t)frame * (size_t)vertices * VERTEX;
        decode_vertices(stored, (size_t)vertices, (float *)buffer);
        struct meshlens_array array = {
            .name = "positions", .mesh = mesh, .frame = (size_t)frame, .first = buffer, .count = (size_t)vertices, .stride = 24};
        give(to, &array);
        array.name = "normals";
        array.first = buffer + 12;
        give(to, &array);
    }
    return (uint64_t)end;
}

int meshlens_decode_v1(const struct meshlens_file *files, size_t count, meshlens_give *give, void *to) {
    const unsigned char *file = files->bytes;
    uint64_t len = files->len;
    if (count != 1 || len < HEADER || memcmp(file, "IDP3", 4) != 0 || word(file + 4) != 15) return 1;
    int32_t frames = word(file + 76), surfaces = word(file + 84), offset = word(file + 100);
    if (!fits(word(file + 92), frames, FRAME, len)) return 1;
    if (frames > 0 && !fits(word(file + 96), word(file + 80), (uint64_t)frames * TAG, len)) return 1;
    if (offset < 0 || surfaces < 0) return 1;
    uint64_t start = (uint64_t)offset;
    for (int32_t surface = 0; surface < surfaces; surface++) {
        uint64_t size = start <= len ? decode_surface(file + start, len - start, (size_t)surface, give, to) : 0;
        if (size == 0) return 1;
        start += size;
    }
    return 0;
}
