//! Models from opening to what a program draws or writes: each format, files, conversion and pictures. `-- md3/` selects the
//! benches whose name contains it.

mod convert;
mod md3;
mod source;
mod thumb;
mod u3d;
mod unigine;
mod unreal;

criterion::criterion_main!(
    md3::benches,
    unreal::benches,
    u3d::benches,
    unigine::benches,
    source::benches,
    convert::benches,
    thumb::benches
);
