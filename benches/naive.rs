//! A simple hand-written loader. It copies every field to a vector, and computes normals with `sin_cos`. It is the
//! baseline, so it is written for clarity instead of speed, and does not check its file.

/// A model as plain data.
#[derive(Debug, Default)]
pub struct Model {
    /// The name of each frame, with its bounds, origin and radius.
    pub frames: Vec<(String, [f32; 10])>,
    /// The tags of each frame: name, origin and axes.
    pub tags: Vec<(String, [f32; 12])>,
    /// The surfaces.
    pub surfaces: Vec<Surface>,
}

/// A surface as plain data.
#[derive(Debug, Default)]
pub struct Surface {
    /// The name.
    pub name: String,
    /// The names of the shaders.
    pub shaders: Vec<String>,
    /// Triangles: three vertex indices each.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates, one pair for each vertex.
    pub texcoords: Vec<[f32; 2]>,
    /// The vertices of every frame.
    pub frames: Vec<Vec<Vertex>>,
}

/// A vertex as plain data.
#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    /// The position.
    pub position: [f32; 3],
    /// The normal.
    pub normal: [f32; 3],
}

fn int(bytes: &[u8], at: usize) -> usize {
    i32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize
}

fn float(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Loads a valid MD3 file.
pub fn load(bytes: &[u8]) -> Model {
    let mut model = Model::default();
    let (frames, tags, surfaces) = (int(bytes, 76), int(bytes, 80), int(bytes, 84));
    for frame in 0..frames {
        let at = int(bytes, 92) + 56 * frame;
        let numbers = std::array::from_fn(|number| float(bytes, at + 4 * number));
        model.frames.push((text(&bytes[at + 40..at + 56]), numbers));
    }
    for tag in 0..frames * tags {
        let at = int(bytes, 96) + 112 * tag;
        let numbers = std::array::from_fn(|number| float(bytes, at + 64 + 4 * number));
        model.tags.push((text(&bytes[at..at + 64]), numbers));
    }
    let mut at = int(bytes, 100);
    for _ in 0..surfaces {
        let surface = &bytes[at..];
        model.surfaces.push(load_surface(surface));
        at += int(surface, 104);
    }
    model
}

fn load_surface(bytes: &[u8]) -> Surface {
    let mut surface = Surface { name: text(&bytes[4..68]), ..Surface::default() };
    let (frames, shaders, vertices, triangles) =
        (int(bytes, 72), int(bytes, 76), int(bytes, 80), int(bytes, 84));
    for shader in 0..shaders {
        let at = int(bytes, 92) + 68 * shader;
        surface.shaders.push(text(&bytes[at..at + 64]));
    }
    for triangle in 0..triangles {
        let at = int(bytes, 88) + 12 * triangle;
        surface.triangles.push([int(bytes, at) as u32, int(bytes, at + 4) as u32, int(bytes, at + 8) as u32]);
    }
    for vertex in 0..vertices {
        let at = int(bytes, 96) + 8 * vertex;
        surface.texcoords.push([float(bytes, at), float(bytes, at + 4)]);
    }
    for frame in 0..frames {
        let mut decoded = Vec::new();
        for vertex in 0..vertices {
            let at = int(bytes, 100) + 8 * (frame * vertices + vertex);
            let axis = |at: usize| f32::from(i16::from_le_bytes([bytes[at], bytes[at + 1]])) / 64.0;
            let radians = |code: u8| f32::from(code) * (std::f32::consts::TAU / 256.0);
            let (sin_zenith, cos_zenith) = radians(bytes[at + 6]).sin_cos();
            let (sin_azimuth, cos_azimuth) = radians(bytes[at + 7]).sin_cos();
            decoded.push(Vertex {
                position: [axis(at), axis(at + 2), axis(at + 4)],
                normal: [cos_azimuth * sin_zenith, sin_azimuth * sin_zenith, cos_zenith],
            });
        }
        surface.frames.push(decoded);
    }
    surface
}
