//! The device to which models are uploaded, and its errors.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::layout::Limits;

/// A device, its queue and its errors.
#[derive(Clone, Debug)]
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    fault: Arc<Mutex<Option<Fault>>>,
}

#[derive(Clone, Debug)]
enum Fault {
    Lost(String),
    Error(String),
}

impl Gpu {
    /// Creates a device for rendering into images, on the adapter that the system prefers. The device has the limits of
    /// the adapter.
    ///
    /// # Errors
    ///
    /// [`Error::NoAdapter`], whose message names the driver to install, and [`Error::NoDevice`].
    pub fn new() -> Result<Gpu> {
        Gpu::with_limits(None)
    }

    /// Like [`new`](Self::new), with the limits of WebGL2: 2048 texels, strides of 255 bytes, and no storage buffers.
    ///
    /// # Errors
    ///
    /// Same as [`new`](Self::new).
    pub fn with_webgl2_limits() -> Result<Gpu> {
        Gpu::with_limits(Some(wgpu::Limits::downlevel_webgl2_defaults()))
    }

    fn with_limits(limits: Option<wgpu::Limits>) -> Result<Gpu> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let options = wgpu::RequestAdapterOptions::default();
        let adapter = pollster::block_on(instance.request_adapter(&options))
            .map_err(|error| Error::NoAdapter { attempts: error.to_string() })?;
        let limits = limits.unwrap_or_else(|| adapter.limits());
        let descriptor =
            wgpu::DeviceDescriptor { required_limits: limits, ..wgpu::DeviceDescriptor::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| Error::NoDevice { reason: error.to_string() })?;
        let gpu = Gpu::from_device(device, queue);
        let fault = Arc::clone(&gpu.fault);
        // Without a handler, wgpu panics.
        gpu.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            fault
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert_with(|| Fault::Error(error.to_string()));
        }));
        Ok(gpu)
    }

    /// Uses an existing device of the program. Its handler of uncaptured errors is kept; its callback for a lost device
    /// is replaced.
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Gpu {
        let gpu = Gpu { device, queue, fault: Arc::default() };
        let fault = Arc::clone(&gpu.fault);
        gpu.device.set_device_lost_callback(move |reason, message| {
            let message = if message.is_empty() { format!("{reason:?}") } else { message };
            *fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(Fault::Lost(message));
        });
        gpu
    }

    /// The device.
    pub const fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// The queue.
    pub const fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// The name of the adapter and its kind, such as `llvmpipe (LLVM 15.0.6, 256 bits) (Cpu, Vulkan)`.
    pub fn adapter_name(&self) -> String {
        let info = self.device.adapter_info();
        format!("{} ({:?}, {:?})", info.name, info.device_type, info.backend)
    }

    /// The limits on the binding of arrays.
    pub fn limits(&self) -> Limits {
        let limits = self.device.limits();
        Limits {
            vertex_stride: limits.max_vertex_buffer_array_stride as usize,
            vertex_attributes: limits.max_vertex_attributes as usize,
            vertex_buffers: limits.max_vertex_buffers as usize,
            texture_size: limits.max_texture_dimension_2d,
        }
    }

    /// Whether shaders may read storage buffers.
    pub fn has_storage_buffers(&self) -> bool {
        self.device.limits().max_storage_buffers_per_shader_stage > 0
    }

    /// Returns an error if the device is lost, or has reported an error since the last call.
    ///
    /// # Errors
    ///
    /// [`Error::Lost`], on every call after the loss; [`Error::Device`], once.
    pub fn check(&self) -> Result<()> {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        match fault.clone() {
            None => Ok(()),
            Some(Fault::Lost(why)) => Err(Error::Lost { reason: why }),
            Some(Fault::Error(why)) => {
                *fault = None;
                Err(Error::Device { reason: why })
            }
        }
    }

    /// Waits until the device has finished all submitted work, then [checks](Self::check) it.
    ///
    /// # Errors
    ///
    /// Same as [`check`](Self::check).
    pub fn wait(&self) -> Result<()> {
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        self.check()?;
        polled.map(|_| ()).map_err(Error::device)
    }

    /// The bytes of a mappable buffer, after all submitted work.
    pub(crate) fn read(&self, buffer: &wgpu::Buffer) -> Result<Vec<u8>> {
        let (sender, receiver) = std::sync::mpsc::channel();
        buffer.slice(..).map_async(wgpu::MapMode::Read, move |mapped| {
            // The receiver waits below.
            let _ = sender.send(mapped);
        });
        self.wait()?;
        let failed = |error: String| self.check().err().unwrap_or(Error::Device { reason: error });
        // Another thread that waits for the same device may run the callback. The device has finished, so the callback
        // will be called or dropped, and this wait ends.
        match receiver.recv() {
            Ok(mapped) => mapped.map_err(|error| failed(error.to_string()))?,
            Err(error) => return Err(failed(error.to_string())),
        }
        let bytes = buffer.slice(..).get_mapped_range().map_err(|error| failed(error.to_string()))?.to_vec();
        buffer.unmap();
        Ok(bytes)
    }
}
