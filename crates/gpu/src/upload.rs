//! Uploads from the mapped file to buffers and textures: the CPU copies each byte once, into mapped memory of the GPU.

use wgpu::{BufferUsages, TextureUsages};

use crate::device::Gpu;
use crate::error::{Error, Result};
use crate::layout::Texels;
use crate::plan::{Frame, TablePlan};
use crate::shader::texture_size;

/// A table in GPU memory.
#[derive(Clone, Debug)]
pub(crate) enum Table {
    /// All frames, one after the other, as a vertex buffer.
    Attributes(wgpu::Buffer),
    /// All frames, one after the other, as texels.
    Texels(wgpu::Texture),
}

/// Copies that are recorded while staging buffers are filled.
#[derive(Debug)]
pub(crate) struct Uploader<'g> {
    gpu: &'g Gpu,
    encoder: wgpu::CommandEncoder,
    /// The number of bytes of GPU memory that remain in use.
    pub(crate) bytes: u64,
}

/// Fills a buffer that is mapped.
fn fill(buffer: &wgpu::Buffer, frames: &[Frame<'_>], frame_size: u64) -> Result<()> {
    let lost = |error: String| Error::Device(error);
    let mut mapped = buffer.slice(..).get_mapped_range_mut().map_err(|error| lost(error.to_string()))?;
    for (number, frame) in frames.iter().enumerate() {
        let mut at = number * frame_size as usize;
        for piece in frame {
            mapped.slice(at..at + piece.len()).copy_from_slice(piece);
            at += piece.len();
        }
    }
    drop(mapped);
    buffer.unmap();
    Ok(())
}

impl<'g> Uploader<'g> {
    pub(crate) fn new(gpu: &'g Gpu) -> Self {
        let encoder =
            gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("upload") });
        Uploader { gpu, encoder, bytes: 0 }
    }

    /// A buffer of at most `max_buffer_size`, mapped.
    fn buffer(&self, what: &'static str, size: u64, usage: BufferUsages) -> Result<wgpu::Buffer> {
        let limit = self.gpu.device().limits().max_buffer_size;
        Error::check(what, "max_buffer_size", limit, size)?;
        let size = size.next_multiple_of(4).max(4);
        let descriptor = wgpu::BufferDescriptor { label: Some(what), size, usage, mapped_at_creation: true };
        let buffer = self.gpu.device().create_buffer(&descriptor);
        self.gpu.check()?;
        Ok(buffer)
    }

    /// A buffer of computed bytes.
    pub(crate) fn bytes(
        &mut self,
        what: &'static str,
        bytes: Vec<u8>,
        usage: BufferUsages,
    ) -> Result<wgpu::Buffer> {
        let size = bytes.len() as u64;
        let buffer = self.buffer(what, size, usage)?;
        self.bytes += buffer.size();
        fill(&buffer, &[vec![bytes.into()]], size)?;
        Ok(buffer)
    }

    /// A table as a vertex buffer.
    pub(crate) fn attributes(&mut self, plan: &TablePlan<'_>) -> Result<Table> {
        let buffer = self.buffer("the vertices of a mesh", plan.size(), BufferUsages::VERTEX)?;
        self.bytes += buffer.size();
        fill(&buffer, &plan.frames, plan.frame_size())?;
        Ok(Table::Attributes(buffer))
    }

    /// A table as texels, copied from a staging buffer.
    pub(crate) fn texels(&mut self, plan: &TablePlan<'_>, texels: Texels) -> Result<Table> {
        let limit = self.gpu.limits().texture_size;
        let (width, height, row) = texture_size(plan.size(), texels, limit).ok_or(Error::Limit {
            what: "the texels of a mesh",
            limit: "max_texture_dimension_2d",
            allowed: u64::from(limit) * u64::from(limit),
            found: plan.size() / texels.word as u64,
        })?;
        let staging =
            self.buffer("the texels of a mesh", u64::from(row) * u64::from(height), BufferUsages::COPY_SRC)?;
        fill(&staging, &plan.frames, plan.frame_size())?;
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        let format = match texels.word {
            1 => wgpu::TextureFormat::R8Uint,
            2 => wgpu::TextureFormat::R16Uint,
            _ => wgpu::TextureFormat::R32Uint,
        };
        let texture = self.gpu.device().create_texture(&wgpu::TextureDescriptor {
            label: Some("the texels of a mesh"),
            size,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: (height > 1).then_some(row),
            rows_per_image: None,
        };
        let source = wgpu::TexelCopyBufferInfo { buffer: &staging, layout };
        self.encoder.copy_buffer_to_texture(source, texture.as_image_copy(), size);
        self.bytes += u64::from(width) * u64::from(height) * texels.word as u64;
        Ok(Table::Texels(texture))
    }

    /// Submits the copies, and returns the number of bytes of GPU memory.
    pub(crate) fn finish(self) -> Result<u64> {
        self.gpu.queue().submit([self.encoder.finish()]);
        self.gpu.check()?;
        Ok(self.bytes)
    }
}
