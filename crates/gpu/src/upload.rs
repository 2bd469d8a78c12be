//! Uploads bytes from the mapped file to buffers and textures: the CPU copies each byte once, into mapped memory of the
//! GPU.

use wgpu::{BufferUsages, Extent3d, Origin3d, TextureFormat, TextureUsages};

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

/// A texture of two dimensions with one level and one sample.
pub(crate) const fn texture(
    label: &'static str,
    [width, height]: [u32; 2],
    format: TextureFormat,
    usage: TextureUsages,
) -> wgpu::TextureDescriptor<'static> {
    wgpu::TextureDescriptor {
        label: Some(label),
        size: Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    }
}

/// Copies that are recorded while staging buffers are filled.
#[derive(Debug)]
pub(crate) struct Uploader<'g> {
    pub(crate) gpu: &'g Gpu,
    encoder: wgpu::CommandEncoder,
    /// The number of bytes of GPU memory that remain in use.
    pub(crate) bytes: u64,
}

/// The rows of a mapped buffer.
#[derive(Clone, Copy)]
struct Rows {
    /// The number of bytes of a row.
    size: usize,
    /// The number of bytes from one row to the next.
    pitch: usize,
}

impl Rows {
    /// All bytes as one row.
    const ONE: Rows = Rows { size: usize::MAX, pitch: usize::MAX };

    /// Copies bytes to offset `at` of the concatenated rows.
    fn copy(self, mapped: &mut wgpu::BufferViewMut, mut at: usize, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (row, column) = (at / self.size, at % self.size);
            let (now, rest) = bytes.split_at(bytes.len().min(self.size - column));
            let start = row * self.pitch + column;
            mapped.slice(start..start + now.len()).copy_from_slice(now);
            (at, bytes) = (at + now.len(), rest);
        }
    }
}

/// Fills a buffer that is mapped with frames, from `first` on.
fn fill(
    buffer: &wgpu::Buffer,
    frames: &[Frame<'_>],
    first: usize,
    frame_size: u64,
    rows: Rows,
) -> Result<()> {
    let mut mapped = buffer.slice(..).get_mapped_range_mut().map_err(Error::device)?;
    for (number, frame) in (first..).zip(frames) {
        let mut at = number * frame_size as usize;
        for piece in frame {
            rows.copy(&mut mapped, at, piece);
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
        fill(&buffer, &[vec![bytes.into()]], 0, size, Rows::ONE)?;
        Ok(buffer)
    }

    /// A table as a vertex buffer.
    pub(crate) fn attributes(&mut self, plan: &TablePlan<'_>) -> Result<Table> {
        // Frames that are not loaded yet are copied later.
        let usage =
            if plan.frames.len() < plan.frame_count { BufferUsages::COPY_DST } else { BufferUsages::empty() };
        let buffer = self.buffer("the vertices of a mesh", plan.size(), BufferUsages::VERTEX | usage)?;
        self.bytes += buffer.size();
        fill(&buffer, &plan.frames, plan.first_frame, plan.frame_size(), Rows::ONE)?;
        Ok(Table::Attributes(buffer))
    }

    /// A table as texels, copied from a staging buffer.
    pub(crate) fn texels(&mut self, plan: &TablePlan<'_>, texels: Texels) -> Result<Table> {
        let limit = self.gpu.limits().texture_size;
        let (width, height) = texture_size(plan.size(), texels, limit).ok_or(Error::Limit {
            what: "the texels of a mesh",
            limit: "max_texture_dimension_2d",
            allowed: u64::from(limit) * u64::from(limit),
            found: plan.size() / texels.word as u64,
        })?;
        let row = width * texels.word as u32;
        let pitch = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let size = u64::from(pitch) * u64::from(height);
        let staging = self.buffer("the texels of a mesh", size, BufferUsages::COPY_SRC)?;
        let rows = Rows { size: row as usize, pitch: pitch as usize };
        fill(&staging, &plan.frames, plan.first_frame, plan.frame_size(), rows)?;
        let format = match texels.word {
            1 => TextureFormat::R8Uint,
            2 => TextureFormat::R16Uint,
            _ => TextureFormat::R32Uint,
        };
        let usage = TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST;
        let descriptor = texture("the texels of a mesh", [width, height], format, usage);
        let texture = self.gpu.device().create_texture(&descriptor);
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch), rows_per_image: None };
        let source = wgpu::TexelCopyBufferInfo { buffer: &staging, layout };
        self.encoder.copy_buffer_to_texture(source, texture.as_image_copy(), texture.size());
        self.bytes += u64::from(row) * u64::from(height);
        Ok(Table::Texels(texture))
    }

    /// Submits the copies, and returns the number of bytes of GPU memory.
    pub(crate) fn finish(self) -> Result<u64> {
        self.gpu.queue().submit([self.encoder.finish()]);
        self.gpu.check()?;
        Ok(self.bytes)
    }
}

/// Writes the frames of a plan into a table that exists.
pub(crate) fn write_frames(gpu: &Gpu, table: &Table, plan: &TablePlan<'_>) -> Result<()> {
    let frame_size = plan.frame_size();
    for (number, frame) in (plan.first_frame as u64..).zip(&plan.frames) {
        let start = number * frame_size;
        match table {
            Table::Attributes(buffer) => {
                // Strides are multiples of 4.
                let Some(size) = core::num::NonZeroU64::new(frame_size) else { continue };
                let lost = || Error::device("the queue has no memory for a frame");
                let mut view = gpu.queue().write_buffer_with(buffer, start, size).ok_or_else(lost)?;
                let mut at = 0;
                for piece in frame {
                    view.slice(at..at + piece.len()).copy_from_slice(piece);
                    at += piece.len();
                }
            }
            Table::Texels(texture) => {
                let mut at = start;
                for piece in frame {
                    write_texels(gpu, texture, at, piece);
                    at += piece.len() as u64;
                }
            }
        }
    }
    gpu.check()
}

/// Writes bytes at offset `at` of the texels of a texture: the rest of a row, whole rows, and the start of a row.
fn write_texels(gpu: &Gpu, texture: &wgpu::Texture, mut at: u64, mut bytes: &[u8]) {
    let word = texture.format().block_copy_size(None).unwrap_or(1);
    let row = u64::from(texture.width() * word);
    while !bytes.is_empty() {
        let column = at % row;
        let size = if column > 0 || (bytes.len() as u64) < row {
            (row - column).min(bytes.len() as u64)
        } else {
            bytes.len() as u64 / row * row
        };
        let (now, rest) = bytes.split_at(size as usize);
        let (width, height) = if size > row { (row, size / row) } else { (size, 1) };
        let origin = Origin3d { x: column as u32 / word, y: (at / row) as u32, z: 0 };
        gpu.queue().write_texture(
            wgpu::TexelCopyTextureInfo { origin, ..texture.as_image_copy() },
            now,
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row as u32), rows_per_image: None },
            Extent3d { width: width as u32 / word, height: height as u32, depth_or_array_layers: 1 },
        );
        (at, bytes) = (at + size, rest);
    }
}
