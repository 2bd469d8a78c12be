//! Everything of an Unreal mesh: layout, positions, normals, rewrite. The geometry file lies before the frames file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (geometry, frames) = meshlens_testkit::check::split_pair(bytes);
    meshlens_testkit::check::unreal_pair(geometry, frames);
});
