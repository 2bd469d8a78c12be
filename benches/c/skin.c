/* What `--bench scenes` measures as "skinned, 4 of 60 joints", as a plain loop: positions and normals moved by four of 60 joints,
 * the normal on the octahedron, and texture coordinates as half floats.
 *
 *   gcc -O3 -march=native -ffast-math benches/c/skin.c -o target/skin -lm && target/skin */

#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { VERTICES = 63 * 31, JOINTS = 60, RUNS = 5000 };

struct vertex {
    float position[3];
    int16_t normal[2];
    uint16_t texcoord[2];
};

static float positions[VERTICES][3], normals[VERTICES][3], texcoords[VERTICES][2], weights[VERTICES][4];
static float matrices[JOINTS][4][3];
static uint16_t joints[VERTICES][4];
static struct vertex out[VERTICES];

static void fill(void) {
    for (int at = 0; at < VERTICES; at++) {
        float sum[4][3] = {0}, normal[3];
        for (int joint = 0; joint < 4; joint++)
            for (int column = 0; column < 4; column++)
                for (int row = 0; row < 3; row++)
                    sum[column][row] += matrices[joints[at][joint]][column][row] * weights[at][joint];
        for (int row = 0; row < 3; row++) {
            out[at].position[row] = sum[0][row] * positions[at][0] + sum[1][row] * positions[at][1] +
                                    sum[2][row] * positions[at][2] + sum[3][row];
            normal[row] = sum[0][row] * normals[at][0] + sum[1][row] * normals[at][1] + sum[2][row] * normals[at][2];
        }
        /* The division by the sum of all sides also scales the normal. */
        float size = 1 / (fabsf(normal[0]) + fabsf(normal[1]) + fabsf(normal[2]));
        float u = normal[0] * size, v = normal[1] * size;
        if (normal[2] < 0) {
            float folded = (1 - fabsf(v)) * copysignf(1, u);
            v = (1 - fabsf(u)) * copysignf(1, v);
            u = folded;
        }
        out[at].normal[0] = (int16_t)lrintf(u * 32767);
        out[at].normal[1] = (int16_t)lrintf(v * 32767);
        for (int axis = 0; axis < 2; axis++)
            out[at].texcoord[axis] = _cvtss_sh(texcoords[at][axis], _MM_FROUND_TO_NEAREST_INT);
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(void) {
    for (int at = 0; at < VERTICES; at++) {
        const uint16_t found[4] = {at / 40 % JOINTS, (at / 40 + 1) % JOINTS, at / 7 % JOINTS, at % JOINTS};
        const float shares[4] = {.4f, .3f, .2f, .1f};
        for (int joint = 0; joint < 4; joint++) joints[at][joint] = found[joint], weights[at][joint] = shares[joint];
        positions[at][0] = (float)at / 64, positions[at][1] = 8, normals[at][at % 3] = 1, texcoords[at][0] = .5f;
    }
    for (int joint = 0; joint < JOINTS; joint++)
        for (int axis = 0; axis < 3; axis++) matrices[joint][axis][axis] = 1, matrices[joint][3][axis] = (float)joint;
    double best = 1;
    for (int run = 0; run < RUNS; run++) {
        double start = seconds();
        fill();
        double took = seconds() - start;
        best = took < best ? took : best;
        __asm__ volatile("" ::: "memory");
    }
    printf("%.1f ns a vertex; the last one is at %g\n", best / VERTICES * 1e9, (double)out[VERTICES - 1].position[0]);
}
