/* A simple decoder of MD3 files, for `meshlens bench --decoder`. It allocates every array, computes every normal with `sinf` and
 * `cosf`, and trusts its file. `benches/decoders` compiles it. */

#include "../../crates/bench/include/meshlens_decoder.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct vertex {
    float position[3], normal[3];
};

static int32_t word(const unsigned char *at) {
    int32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static struct vertex decode_vertex(const unsigned char *in) {
    struct vertex vertex;
    for (int axis = 0; axis < 3; axis++) {
        int16_t code;
        memcpy(&code, in + 2 * axis, sizeof code);
        vertex.position[axis] = (float)code / 64;
    }
    float zenith = (float)in[6] * (6.2831853f / 256), azimuth = (float)in[7] * (6.2831853f / 256);
    vertex.normal[0] = cosf(azimuth) * sinf(zenith);
    vertex.normal[1] = sinf(azimuth) * sinf(zenith);
    vertex.normal[2] = cosf(zenith);
    return vertex;
}

static void decode_surface(const unsigned char *surface, size_t mesh, meshlens_give *give, void *to) {
    size_t frames = (size_t)word(surface + 72), vertices = (size_t)word(surface + 80), triangles = (size_t)word(surface + 84);
    int32_t(*indices)[3] = malloc(triangles * sizeof *indices);
    for (size_t triangle = 0; triangle < triangles; triangle++)
        for (size_t corner = 0; corner < 3; corner++)
            indices[triangle][corner] = word(surface + word(surface + 88) + 12 * triangle + 4 * corner);
    give(to, &(struct meshlens_array){"triangles", mesh, .first = indices, .count = triangles, .stride = 12});
    float(*texcoords)[2] = malloc(vertices * sizeof *texcoords);
    for (size_t vertex = 0; vertex < vertices; vertex++)
        memcpy(texcoords[vertex], surface + word(surface + 96) + 8 * vertex, 8);
    give(to, &(struct meshlens_array){"texcoords", mesh, .first = texcoords, .count = vertices, .stride = 8});
    for (size_t frame = 0; frame < frames; frame++) {
        struct vertex *decoded = malloc(vertices * sizeof *decoded);
        for (size_t vertex = 0; vertex < vertices; vertex++)
            decoded[vertex] = decode_vertex(surface + word(surface + 100) + 8 * (frame * vertices + vertex));
        struct meshlens_array array = {
            "positions", mesh, .frame = frame, .first = decoded, .count = vertices, .stride = sizeof *decoded};
        give(to, &array);
        array.name = "normals";
        array.first = &decoded->normal;
        give(to, &array);
        free(decoded);
    }
    free(texcoords);
    free(indices);
}

int meshlens_decode_v1(const struct meshlens_file *files, size_t count, meshlens_give *give, void *to) {
    const unsigned char *surface = files->bytes;
    if (count != 1 || files->len < 108 || memcmp(surface, "IDP3", 4) != 0) return 1;
    surface += word(files->bytes + 100);
    for (int32_t mesh = 0; mesh < word(files->bytes + 84); mesh++) {
        decode_surface(surface, (size_t)mesh, give, to);
        surface += word(surface + 104);
    }
    return 0;
}
