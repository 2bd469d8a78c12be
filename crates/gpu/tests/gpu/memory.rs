//! Memory of models on the GPU.

use meshlens::Model;
use meshlens_gpu::{GpuModel, UploadOptions};

use crate::{files, gpu};

#[test]
fn memory_exceeds_the_arrays_of_the_file_by_at_most_five_percent() {
    let (mut stored, mut uploaded, mut largest) = (0, 0, 0.0f64);
    for path in files::corpus().into_iter().chain(files::real()) {
        let Some(files) = files::model_files(&path) else { continue };
        let Some(document) = files::document(&files) else { continue };
        // The arrays of surfaces, without the keys of bones and without shadows. Each byte counts once.
        let of_surfaces =
            |array: &meshlens::lens::Array<'_>| array.semantic < meshlens::lens::Semantic::ShadowPosition;
        let arrays = document.arrays().filter(|array| of_surfaces(array) && !array.is_part);
        // Positions of 6 bytes in records of 8 count with their padding. Other arrays may be in larger records.
        let size = |array: meshlens::lens::Array<'_>| match array.semantic {
            meshlens::lens::Semantic::Position => array.lens.len() * array.lens.stride(),
            _ => array.lens.len() * array.lens.format().size(),
        };
        let arrays: usize = arrays.map(size).sum();
        let Ok(model) = Model::new(document) else { continue };
        // This formula does not hold for models with several levels of detail (their arrays are listed, too), with
        // packed geometry (not listed), or with skins (records of different sizes).
        if arrays == 0 || model.meshes.iter().any(|mesh| mesh.lod > 0 || mesh.skin.is_some()) {
            continue;
        }
        let Ok(model) = GpuModel::new(gpu(), &model, &UploadOptions::default()) else { continue };
        let memory = model.memory();
        let ratio = memory.total as f64 / arrays as f64;
        assert!(ratio <= 1.05, "{}: {memory:?} for {arrays} bytes of arrays", path.display());
        largest = largest.max(ratio);
        (stored, uploaded) = (stored + arrays, uploaded + memory.total);
    }
    println!("{uploaded} bytes uploaded for {stored} bytes of arrays; at most {largest:.3} times");
    assert!(stored > 0);
}
