//! Arrays in the form in which they are stored in a file.

use std::mem::MaybeUninit;
use std::sync::Arc;

use meshlens::lens::{self, AnyLens, ComponentType, Numbers};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::content::{Content, Shared};
use crate::error::work;
use crate::numbers;
use crate::raw::Raw;
use crate::{Any, Maybe, NewObject};

/// The properties of an array.
#[derive(Clone, Copy)]
pub(crate) struct About {
    pub(crate) semantic: lens::Semantic,
    pub(crate) mesh: usize,
    pub(crate) set: usize,
    pub(crate) frame: usize,
    pub(crate) lod: usize,
    pub(crate) bone: usize,
    pub(crate) file: usize,
    pub(crate) is_part: bool,
}

impl From<&lens::Array<'_>> for About {
    fn from(array: &lens::Array<'_>) -> About {
        let lens::Array { semantic, mesh, set, frame, lod, bone, file, is_part, .. } = *array;
        About { semantic, mesh, set, frame, lod, bone, file, is_part }
    }
}

#[doc = doc!(Array)]
#[pyclass(frozen, module = "meshlens", name = "Array")]
pub(crate) struct Array {
    shared: Arc<Shared>,
    /// A lens onto the content of `shared`. It is valid while that content is held.
    lens: MaybeUninit<AnyLens<'static>>,
    about: About,
    node: usize,
    offset: u64,
    stride: usize,
    count: usize,
    format: &'static lens::ArrayFormat,
}

// SAFETY: the bytes of a lens are only read, and every thread may read the bytes of a scene.
unsafe impl Send for Array {}
// SAFETY: as above.
unsafe impl Sync for Array {}

impl Array {
    /// Makes an array of a node from its lens.
    ///
    /// # Safety
    ///
    /// The bytes of the lens belong to the content of `shared`.
    pub(crate) unsafe fn new(shared: &Arc<Shared>, node: usize, lens: AnyLens<'_>, about: About) -> Array {
        let (offset, stride, count, format) =
            (lens.byte_range().start, lens.stride(), lens.len(), lens.format());
        // SAFETY: only the lifetime changes. The lens is used while the content is held: see `Array::lens`.
        let lens = unsafe { std::mem::transmute::<AnyLens<'_>, AnyLens<'static>>(lens) };
        Array {
            shared: shared.clone(),
            lens: MaybeUninit::new(lens),
            node,
            about,
            offset,
            stride,
            count,
            format,
        }
    }

    /// The lens. `content` must be the content of the scene of this array.
    fn lens<'c>(&self, content: &'c Content) -> AnyLens<'c> {
        let _ = content;
        // SAFETY: the lens was made from the content of this scene, which is never replaced. The bytes do not move as
        // long as `content` exists.
        unsafe { self.lens.assume_init() }
    }
}

/// The numpy type of one element: a subarray of numbers, or a record.
fn dtype<'py>(py: Python<'py>, format: &lens::ArrayFormat) -> PyResult<(Any<'py>, usize)> {
    if let Some((component, components)) = format.numpy() {
        return Ok((py.import("numpy")?.call_method1("dtype", (component,))?, components));
    }
    let fields = format.fields().iter();
    let fields = fields.map(|field| (field.name, field.component.numpy(), field.components, field.offset));
    Ok((numbers::record(py, fields, format.size())?, 1))
}

fields! {
    Array, |array|
    semantic: &'static str = array.about.semantic.name();
    mesh: usize = array.about.mesh;
    set: usize = array.about.set;
    frame: usize = array.about.frame;
    lod: usize = array.about.lod;
    bone: usize = array.about.bone;
    file: usize = array.about.file;
    is_part: bool = array.about.is_part;
    encoding: &'static str = array.format.name();
    components: usize = array.format.numpy().map_or(1, |(_, components)| components);
    nbytes: usize = array.count.saturating_mul(array.format.size());
    node: usize = array.node;
    offset: u64 = array.offset;
    stride: usize = array.stride;
    scale: Option<f32> = match array.format.numbers() {
        Numbers::Plain => Some(1.0),
        Numbers::Scaled(scale) => Some(scale),
        _ => None,
    };
}

#[pymethods]
impl Array {
    #[doc = doc!(Array raw)]
    #[getter]
    fn raw<'py>(&self, py: Python<'py>) -> NewObject<'py> {
        let raw = Raw::new(&self.shared, |content| Ok(self.lens(content).as_bytes()))?;
        let (dtype, components) = dtype(py, self.format)?;
        let kwargs = PyDict::new(py);
        kwargs.set_item("dtype", &dtype)?;
        kwargs.set_item("buffer", Bound::new(py, raw)?)?;
        let numpy = py.import("numpy")?;
        let (shape, strides) = match components {
            1 => (vec![self.count], vec![self.stride]),
            _ => (vec![self.count, components], vec![self.stride, self.format.component().size()]),
        };
        kwargs.set_item("strides", PyTuple::new(py, strides)?)?;
        numpy.getattr("ndarray")?.call((PyTuple::new(py, shape)?,), Some(&kwargs))
    }

    #[doc = doc!(Array decode)]
    #[pyo3(signature = (*, out = None))]
    fn decode<'py>(&self, py: Python<'py>, out: Maybe<'_, 'py>) -> NewObject<'py> {
        let content = self.shared.content()?;
        let lens = self.lens(&content);
        let value = self.format.value();
        let shape = [lens.len(), value.components];
        macro_rules! of {
            ($type:ty) => {
                numbers::filled(py, shape, out, |out: &mut [$type]| {
                    Ok(lens.decode_bytes_into(bytemuck::cast_slice_mut(out))?)
                })
            };
        }
        match value.component {
            ComponentType::U8 => of!(u8),
            ComponentType::I8 => of!(i8),
            ComponentType::U16 => of!(u16),
            ComponentType::I16 => of!(i16),
            ComponentType::U32 => of!(u32),
            ComponentType::I32 => of!(i32),
            ComponentType::F32 => of!(f32),
        }
    }

    #[doc = doc!(Array __array__)]
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(&self, py: Python<'py>, dtype: Maybe<'_, 'py>, copy: Option<bool>) -> NewObject<'py> {
        if copy == Some(false) {
            return Err(PyValueError::new_err(
                "values are decoded, which needs a copy; raw shows the stored ones",
            ));
        }
        let values = self.decode(py, None)?;
        dtype.map_or_else(|| Ok(values.clone()), |dtype| values.call_method1("astype", (dtype,)))
    }

    #[doc = doc!(Array max_index)]
    fn max_index(&self, py: Python<'_>) -> PyResult<Option<u32>> {
        let content = self.shared.content()?;
        let lens = self.lens(&content);
        work(py, || Ok(lens.max_index()?))
    }

    #[doc = doc!(Array dtype)]
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> NewObject<'py> {
        Ok(dtype(py, self.format)?.0)
    }

    fn __len__(&self) -> usize {
        self.count
    }

    fn __repr__(&self) -> String {
        let Array { about: About { semantic, mesh, frame, .. }, offset, count, format, .. } = self;
        format!("<Array {semantic} of mesh {mesh}, frame {frame}: {count} x {format} at {offset:#x}>")
    }
}
