//! Models that are uploaded frame by frame, as their bytes arrive.

use glam::{Mat4, Vec3};
use meshlens::model::{Blend, PlainFrame, PlainMesh, Space};
use meshlens::part::{FileRange, Part};
use meshlens::wire::{Piece, PieceList, Pieces};
use meshlens::{Document, Model, Partial, Parts};
use meshlens_gpu::render::{Draw, Image, Instance, RenderOptions, Renderer, Textures};
use meshlens_gpu::{Error, GpuModel, UploadOptions};

use crate::{files, gpu};

/// The loaded ranges of complete files.
struct Loaded<'f> {
    parts: Parts,
    files: &'f [Vec<u8>],
    ranges: Vec<FileRange>,
}

impl<'f> Loaded<'f> {
    fn new(files: &'f [Vec<u8>]) -> Self {
        let whole: Vec<[Piece<'_>; 1]> =
            files.iter().map(|file| [Piece { offset: 0, bytes: file }]).collect();
        let lists: Vec<PieceList<'_>> = whole
            .iter()
            .zip(files)
            .map(|(piece, file)| PieceList::new(piece, file.len() as u64).unwrap())
            .collect();
        let lists: Vec<&dyn Pieces> = lists.iter().map(|list| list as &dyn Pieces).collect();
        let parts = Parts::locate_pieces(&lists).unwrap();
        Loaded { parts, files, ranges: Vec::new() }
    }

    /// Loads the bytes of a part, if the model has it.
    fn load(&mut self, part: Part) {
        let part = self.parts.part(part);
        self.ranges.extend(part.iter().flat_map(|part| part.ranges()));
        self.ranges.sort_unstable();
        // The loaded pieces must have gaps between them.
        self.ranges.dedup_by(|next, range| {
            let is_joined = range.file == next.file && next.start <= range.end;
            if is_joined {
                range.end = range.end.max(next.end);
            }
            is_joined
        });
    }

    /// Calls `use_document` with a document of the loaded bytes.
    fn with<T>(&self, use_document: impl FnOnce(Document<'_, Partial>) -> T) -> T {
        let of = |(index, file): (usize, &'f Vec<u8>)| -> Vec<Piece<'f>> {
            let own = self.ranges.iter().filter(|range| range.file == index);
            let piece = |range: &FileRange| Piece {
                offset: range.start,
                bytes: &file[range.start as usize..range.end as usize],
            };
            own.map(piece).collect()
        };
        let pieces: Vec<Vec<Piece<'_>>> = self.files.iter().enumerate().map(of).collect();
        let lists: Vec<PieceList<'_>> = pieces
            .iter()
            .zip(self.files)
            .map(|(pieces, file)| PieceList::new(pieces, file.len() as u64).unwrap())
            .collect();
        let lists: Vec<&dyn Pieces> = lists.iter().map(|list| list as &dyn Pieces).collect();
        use_document(self.parts.bind_pieces(&lists).unwrap())
    }

    /// Uploads a frame of a mesh from the loaded bytes.
    fn upload(&self, model: &mut GpuModel, mesh: usize, frame: usize) -> Result<(), Error> {
        self.with(|document| {
            let loaded = document.into_mesh(mesh).unwrap().unwrap();
            model.upload_frame(gpu(), mesh, &loaded, frame)
        })
    }
}

fn picture(renderer: &mut Renderer, model: &GpuModel, scene: &RenderOptions, blend: Blend) -> Image {
    let textures = Textures::new(gpu(), model, |_| None).unwrap();
    let instances = [Instance::new(Space::MD3.to(&Space::GLTF).linear()).showing(blend)];
    let draws = [Draw { model, textures: &textures, instances: &instances }];
    renderer.render_image(scene, &draws, [96, 96]).unwrap()
}

/// Uploads the frames of a model in the order `frames`, with only their bytes loaded, and compares pictures with
/// pictures of the completely uploaded model. Returns the number of frames that were compared.
fn compare(files: &[Vec<u8>], options: &UploadOptions) -> usize {
    let whole = Model::new(files::document(files).unwrap()).unwrap();
    let complete = GpuModel::new(gpu(), &whole, options).unwrap();
    let count = whole.frame_count();
    let mut renderer = Renderer::new(gpu());

    let mut loaded = Loaded::new(files);
    for part in [Part::Header, Part::Names, Part::Materials, Part::Skeleton, Part::Tags] {
        loaded.load(part);
    }
    for mesh in 0..whole.meshes.len() as u32 {
        loaded.load(Part::Indices { mesh });
    }
    let mut streamed = loaded.with(|document| {
        let head = Model::new(document).unwrap();
        GpuModel::streamed(gpu(), &head, options).unwrap()
    });
    assert_eq!((streamed.mesh_count(), streamed.materials()), (0, complete.materials()));

    let points = whole.points_at_rest(0).into_iter().map(Vec3::from);
    let turn = Mat4::from_cols_array_2d(&Space::MD3.to(&Space::GLTF).linear());
    let radius = points.map(|point| turn.transform_point3(point).length()).fold(0.0, f32::max);
    let scene = RenderOptions::looking([1.2 * radius, 0.9 * radius, 3.0 * radius], [0.0; 3], 1.0);
    let nothing = picture(&mut renderer, &streamed, &scene, 0.into());

    // The frames are uploaded from the last to the first.
    for frame in (0..count).rev() {
        for (index, mesh) in whole.meshes.iter().enumerate() {
            if frame >= mesh.frame_count() {
                continue;
            }
            if frame + 1 < mesh.frame_count() {
                // The bytes of this frame are not loaded, so nothing changes.
                let error = loaded.upload(&mut streamed, index, frame).unwrap_err();
                assert!(matches!(error, Error::Model(_)), "{error}");
                assert!(!streamed.has_frame(index, frame));
            }
            loaded.load(Part::Mesh { mesh: index as u32, frame: frame as u32 });
            loaded.upload(&mut streamed, index, frame).unwrap();
        }
        let shown = picture(&mut renderer, &streamed, &scene, frame.into());
        assert_eq!(shown, picture(&mut renderer, &complete, &scene, frame.into()), "frame {frame}");
        assert_ne!(shown, nothing);
        if frame > 0 {
            let missing = Blend { a: frame, b: frame - 1, weight: 0.5 };
            assert_eq!(picture(&mut renderer, &streamed, &scene, missing), nothing, "frame {frame}");
        }
    }
    assert_eq!(streamed.memory().total, complete.memory().total);
    let between = Blend { a: 0, b: count - 1, weight: 0.25 };
    let shown = picture(&mut renderer, &streamed, &scene, between);
    assert_eq!(shown, picture(&mut renderer, &complete, &scene, between));
    count
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let path = files::corpus().into_iter().find(|path| path.ends_with(name)).unwrap();
    files::model_files(&path).unwrap()
}

#[test]
fn frames_are_drawn_as_soon_as_they_are_uploaded() {
    let options = UploadOptions::default();
    // Vertex buffers (MD3), texels with separate vertices (Unreal), and packed normals (Ultimate 3D) are covered.
    assert!(compare(&corpus("animated.md3"), &options) > 2);
    assert!(compare(&corpus("figure_d.3d"), &options) > 2);
    assert!(compare(&corpus("figure_d.3d"), &UploadOptions { smooth_normals: true, ..options }) > 2);
    assert!(compare(&corpus("v2_animated.u3d"), &options) > 1);
    assert_eq!(compare(&corpus("box_ms13.mesh"), &options), 1);
}

#[test]
fn frames_out_of_range_are_errors() {
    let files = corpus("animated.md3");
    let whole = Model::new(files::document(&files).unwrap()).unwrap();
    let mut streamed = GpuModel::streamed(gpu(), &whole, &UploadOptions::default()).unwrap();
    let count = whole.meshes[0].frame_count();
    let expected = format!("frame {count} of a mesh with {count} frames");
    for _ in 0..2 {
        let error = streamed.upload_frame(gpu(), 0, &whole.meshes[0], count).unwrap_err();
        assert_eq!(error.to_string(), expected);
        streamed.upload_frame(gpu(), 0, &whole.meshes[0], 0).unwrap();
    }
    // The other mesh has a different number of vertices.
    let frame = PlainFrame { positions: vec![[0.0; 3]; 3], ..PlainFrame::default() };
    let plain = PlainMesh { frames: vec![frame; count], triangles: vec![[0, 1, 2]], ..PlainMesh::default() };
    let error = streamed.upload_frame(gpu(), 0, &plain.into_mesh("other").unwrap(), 1).unwrap_err();
    assert_eq!(error.to_string(), "frame 1 has another encoding than the first uploaded frame");
    assert!(streamed.has_frame(0, 0) && !streamed.has_frame(0, 1) && !streamed.has_frame(7, 0));
}
