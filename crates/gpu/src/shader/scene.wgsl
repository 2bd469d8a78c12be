struct Scene {
    view_projection: mat4x4<f32>,
    // The position of the camera, and in w the light that is added to surfaces that are not blended.
    camera: vec4<f32>,
    // The direction to the light, and in w the light that comes from everywhere.
    light: vec4<f32>,
    // The color of edges.
    edges: vec4<f32>,
    // x is the shading: 0 lit, 1 unlit, 2 flat, 3 normals, 4 the color of edges. y is 1 if the target has an sRGB format. z is
    // the set of texture coordinates, unless it is 0 and the material has one. w is 1 if vertex colors are used.
    mode: vec4<u32>,
}

struct Material {
    color: vec4<f32>,
    // w is the blend mode: 0 alpha, 1 add, 2 add what alpha covers, 3 multiply, 4 multiply and double, 5 multiply by the
    // inverse.
    emissive: vec4<f32>,
    // x is the least alpha that is drawn. y is 1 if the material is not lit. z is 1 if the material is blended. w is the
    // set of texture coordinates, or -1 if the texture is an environment map.
    options: vec4<f32>,
}

@group(0) @binding(0) var<uniform> scene: Scene;
@group(1) @binding(0) var<uniform> material: Material;
@group(1) @binding(1) var color_texture: texture_2d<f32>;
@group(1) @binding(2) var color_sampler: sampler;

struct VertexOutput {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) texcoord: vec2<f32>,
    @location(3) color: vec4<f32>,
}

// The directions in the world to the right and to the top of the picture.
fn camera_right() -> vec3<f32> {
    let columns = scene.view_projection;
    return normalize(vec3<f32>(columns[0].x, columns[1].x, columns[2].x));
}

fn camera_up() -> vec3<f32> {
    let columns = scene.view_projection;
    return normalize(vec3<f32>(columns[0].y, columns[1].y, columns[2].y));
}

// A vertex moved by the matrix of its instance, whose rows are given.
fn placed(x: vec4<f32>, y: vec4<f32>, z: vec4<f32>, position: vec3<f32>, normal: vec3<f32>, texcoord: vec2<f32>, color: vec4<f32>) -> VertexOutput {
    let point = vec4<f32>(position, 1.0);
    let world = vec3<f32>(dot(x, point), dot(y, point), dot(z, point));
    let turned = transform_normal(x.xyz, y.xyz, z.xyz, normal);
    let shown = select(vec4<f32>(1.0), color, scene.mode.w == 1u);
    return VertexOutput(scene.view_projection * vec4<f32>(world, 1.0), world, turned, texcoord, shown);
}
