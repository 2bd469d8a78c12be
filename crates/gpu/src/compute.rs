//! Decodes whole arrays on the GPU with a compute shader, to compare decoders with the CPU.

use meshlens::lens::ArrayFormat;

use crate::device::Gpu;
use crate::error::{Error, Result};
use crate::groups::bind_group;
use crate::layout::Texels;
use crate::wgsl::{Decoder, Module, load_function};

/// The number of threads of a workgroup.
const GROUP: u32 = 64;

/// Decodes `count` elements, which are `stride` bytes apart, and returns their floats, element by element: 1 to 4
/// floats for each, or 9 for tangent frames (normal, tangent, binormal). Requires storage buffers.
///
/// # Errors
///
/// [`Error::Argument`] if no function decodes the format, or if there are not enough `bytes`; [`Error::Limit`]; the
/// errors of the device.
pub fn decode_array(
    gpu: &Gpu,
    format: &'static ArrayFormat,
    bytes: &[u8],
    stride: usize,
    count: usize,
) -> Result<Vec<f32>> {
    let decoder =
        Decoder::of(format).ok_or_else(|| Error::argument(format!("no shader decodes {format}")))?;
    let floats = if decoder.floats == 0 { 9 } else { decoder.floats };
    check_len(bytes.len(), format.size(), stride, count)?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let device = gpu.device();
    let limits = device.limits();
    // A size that saturates exceeds every limit.
    let size = (count as u64).saturating_mul(floats as u64 * 4);
    let groups = (count as u64).div_ceil(u64::from(GROUP));
    // Elements are numbered row by row of workgroups.
    let row = u64::from(limits.max_compute_workgroups_per_dimension).max(1);
    // Shaders address bytes with 32-bit integers.
    let allowed = limits.max_storage_buffer_binding_size.min(u64::from(u32::MAX));
    Error::check(
        "an array to decode",
        "max_storage_buffer_binding_size",
        allowed,
        size.max((bytes.len() as u64).next_multiple_of(4)),
    )?;
    // The stride of a single element is not used, so it may be larger than the bytes.
    let stride = if count == 1 { format.size() } else { stride };

    let input = stored(device, bytes)?;
    let buffer = |usage| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("decoded array"),
            size,
            usage,
            mapped_at_creation: false,
        })
    };
    let output = buffer(wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
    let readback = buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);

    let pipeline = pipeline(device, shader(&decoder, format, stride, count, groups.min(row)));
    let buffers = [(0, input.as_entire_binding()), (1, output.as_entire_binding())];
    let group = bind_group(device, "decode", &pipeline.get_bind_group_layout(0), buffers);
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(groups.min(row) as u32, groups.div_ceil(row) as u32, 1);
    }
    encoder.copy_buffer_to_buffer(&output, 0, &readback, 0, size);
    gpu.queue().submit([encoder.finish()]);
    Ok(gpu.read(&readback)?.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

/// Fails if `len` bytes are not enough for the elements.
fn check_len(len: usize, size: usize, stride: usize, count: usize) -> Result<()> {
    if stride < size {
        let message = format!("a stride of {stride} bytes is less than the {size} bytes of an element");
        return Err(Error::argument(message));
    }
    let Some(last) = count.checked_sub(1) else { return Ok(()) };
    let needed = last.checked_mul(stride).and_then(|start| start.checked_add(size));
    if needed.is_none_or(|needed| len < needed) {
        return Err(Error::argument(format!(
            "{count} elements of {stride} bytes need more than {len} bytes"
        )));
    }
    Ok(())
}

/// A buffer with these bytes.
fn stored(device: &wgpu::Device, bytes: &[u8]) -> Result<wgpu::Buffer> {
    let input = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("stored array"),
        size: (bytes.len() as u64).next_multiple_of(4),
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: true,
    });
    let mapped = input.slice(..).get_mapped_range_mut();
    let mut mapped = mapped.map_err(Error::device)?;
    mapped.slice(..bytes.len()).copy_from_slice(bytes);
    drop(mapped);
    input.unmap();
    Ok(input)
}

fn pipeline(device: &wgpu::Device, shader: String) -> wgpu::ComputePipeline {
    let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("decode"),
        source: wgpu::ShaderSource::Wgsl(shader.into()),
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("decode"),
        layout: None,
        module: &shader,
        entry_point: Some("decode_elements"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

fn shader(decoder: &Decoder, format: &ArrayFormat, stride: usize, count: usize, row: u64) -> String {
    let mut module = Module::new();
    module.push(
        "@group(0) @binding(0) var<storage, read> stored: array<u32>;\n\
         @group(0) @binding(1) var<storage, read_write> decoded: array<f32>;",
    );
    // Bytes are extracted from 32-bit integers, so that every stride works.
    let texels = if stride.is_multiple_of(4) {
        module.push("fn integer(i: u32) -> u32 {\n    return stored[i];\n}");
        Texels { word: 4, stride: stride / 4 }
    } else {
        module.push("fn integer(i: u32) -> u32 {\n    return (stored[i / 4u] >> (i % 4u * 8u)) & 255u;\n}");
        Texels { word: 1, stride }
    };
    module.push(&load_function("load", "integer", texels, format, 0));
    decoder.write_function("decode", &mut module);
    let components = ["x", "y", "z", "w"];
    let stores: Vec<String> = match decoder.floats {
        0 => ["normal", "tangent", "binormal"]
            .iter()
            .flat_map(|vector| components.iter().take(3).map(move |axis| format!("value.{vector}.{axis}")))
            .collect(),
        1 => vec!["value".into()],
        floats => components.iter().take(floats).map(|axis| format!("value.{axis}")).collect(),
    };
    let floats = stores.len();
    let stores: String = stores
        .iter()
        .enumerate()
        .map(|(index, value)| format!("    decoded[element * {floats}u + {index}u] = {value};\n"))
        .collect();
    let threads = row * u64::from(GROUP);
    module.push(&format!(
        "@compute @workgroup_size({GROUP})\n\
         fn decode_elements(@builtin(global_invocation_id) id: vec3<u32>) {{\n    \
         let element = id.y * {threads}u + id.x;\n    \
         if element >= {count}u {{\n        return;\n    }}\n    \
         let value = decode(load(element));\n{stores}}}"
    ));
    module.into_text()
}
