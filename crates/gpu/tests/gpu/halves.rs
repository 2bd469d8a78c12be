//! Every half float, decoded by the function of the shader.

use meshlens_gpu::wgpu;
use meshlens_gpu::wgsl::{HALF_FLOATS, Module};

use crate::gpu;

/// A half float as IEEE 754 defines it: 1 sign bit, 5 bits of exponent and 10 bits of fraction.
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from((bits >> 10) & 31), f32::from(bits & 1023) / 1024.0);
    match exponent {
        0 => sign * fraction * 2f32.powi(-14),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        exponent => sign * (1.0 + fraction) * 2f32.powi(exponent - 15),
    }
}

#[test]
fn every_half_float_is_equal() {
    let device = gpu().device();
    let words: Vec<u32> = (0..32768).map(|pair: u32| (pair * 2) | ((pair * 2 + 1) << 16)).collect();
    let size = (words.len() * 8) as u64;
    let buffer = |size, usage, mapped| {
        device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: mapped })
    };
    let stored = buffer(size / 2, wgpu::BufferUsages::STORAGE, true);
    stored.slice(..).get_mapped_range_mut().unwrap().slice(..).copy_from_slice(bytemuck::cast_slice(&words));
    stored.unmap();
    let decoded = buffer(size, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC, false);
    let read = buffer(size, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST, false);

    let mut module = Module::new();
    module.add(&HALF_FLOATS).push(
        "@group(0) @binding(0) var<storage, read> stored: array<u32>;
@group(0) @binding(1) var<storage, read_write> decoded: array<vec2<f32>>;
@compute @workgroup_size(64)
fn decode_pairs(@builtin(global_invocation_id) id: vec3<u32>) {
    decoded[id.x] = half_floats(stored[id.x]);
}",
    );
    let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(module.into_text().into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &shader,
        entry_point: Some("decode_pairs"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: stored.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: decoded.as_entire_binding() },
        ],
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(words.len() as u32 / 64, 1, 1);
    }
    encoder.copy_buffer_to_buffer(&decoded, 0, &read, 0, size);
    gpu().queue().submit([encoder.finish()]);
    let (sender, receiver) = std::sync::mpsc::channel();
    read.slice(..).map_async(wgpu::MapMode::Read, move |mapped| sender.send(mapped).unwrap());
    gpu().wait().unwrap();
    receiver.recv().unwrap().unwrap();
    let bytes = read.slice(..).get_mapped_range().unwrap().to_vec();
    let found: &[f32] = bytemuck::cast_slice(&bytes);
    assert_eq!(found.len(), 65536);
    for (code, found) in (0..=u16::MAX).zip(found) {
        let expected = half(code);
        assert!(
            *found == expected || found.is_nan() && expected.is_nan(),
            "{code:#06x}: {found}, not {expected}"
        );
    }
}
