//! `meshlens shader`: prints the functions that decode stored arrays on a GPU.

use std::io::{self, Write};

use crate::args::{Shader, ShaderLanguage};
use crate::status::Status;
use crate::terminal::Output;

pub(crate) fn run(arguments: &Shader, out: &mut Output) -> io::Result<Status> {
    match arguments.language {
        ShaderLanguage::Wgsl => out.write_all(meshlens_gpu::wgsl::all_pieces().as_text().as_bytes())?,
        ShaderLanguage::Glsl => out.write_all(meshlens_gpu::glsl().as_bytes())?,
        ShaderLanguage::Hlsl => out.write_all(meshlens_gpu::hlsl().as_bytes())?,
    }
    Ok(Status::Fine)
}
