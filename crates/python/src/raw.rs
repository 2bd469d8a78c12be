//! Views of stored bytes, through the buffer protocol.

use std::ffi::{c_int, c_void};

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::content::{Shared, Viewed};
use std::sync::Arc;

/// Read-only bytes of a scene. The scene stays open as long as they are referred to.
#[pyclass(frozen, module = "meshlens", name = "_Raw")]
pub(crate) struct Raw {
    start: *const u8,
    len: usize,
    /// Owns the bytes.
    viewed: Viewed,
}

// SAFETY: the bytes are only read, and every thread may read the bytes of a scene.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

impl Raw {
    /// The bytes that `find` returns for the content of a scene.
    pub(crate) fn new(
        shared: &Arc<Shared>,
        find: impl for<'c> FnOnce(&'c crate::content::Content) -> PyResult<&'c [u8]>,
    ) -> PyResult<Raw> {
        let viewed = shared.view()?;
        // The bytes belong to the content, which its clones share. They do not move until the last clone is dropped.
        let bytes = find(&viewed.content)?;
        let (start, len) = (bytes.as_ptr(), bytes.len());
        Ok(Raw { start, len, viewed })
    }
}

#[pymethods]
impl Raw {
    /// # Safety
    ///
    /// Python calls it with a valid `view`.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("there is no view to fill"));
        }
        let (start, len) = (slf.get().start, slf.get().len);
        let len = isize::try_from(len).map_err(|_| PyBufferError::new_err("too many bytes"))?;
        // SAFETY: `view` is valid. It refers to the object, and the bytes live as long as the object. A read-only view
        // is refused if the caller wants to write.
        let filled = unsafe {
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start.cast_mut().cast::<c_void>(), len, 1, flags)
        };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }

    fn __len__(&self) -> usize {
        self.len
    }

    fn __repr__(&self) -> String {
        let _ = &self.viewed;
        format!("<{} bytes>", self.len)
    }
}
