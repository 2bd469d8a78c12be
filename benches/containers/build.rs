//! Compiles the readers in C and C++. `run` sets the variables to the folders of their libraries.

use std::env;

fn main() {
    let folder = |name: &str| {
        println!("cargo::rerun-if-env-changed={name}");
        env::var(name).ok().filter(|path| !path.is_empty())
    };
    for file in ["readers.h", "glb.cpp", "assimp.c"] {
        println!("cargo::rerun-if-changed={file}");
    }
    println!("cargo::rustc-check-cfg=cfg(has_assimp)");
    let cgltf = folder("CONTAINERS_CGLTF").expect("run benches/containers/run, which sets CONTAINERS_CGLTF");
    let mut glb = cc::Build::new();
    glb.cpp(true).std("c++17").file("glb.cpp").include(cgltf).warnings(false);
    let draco = folder("CONTAINERS_DRACO");
    if let Some(draco) = &draco {
        glb.define("HAS_DRACO", None).include(format!("{draco}/include"));
    }
    glb.compile("glb");
    // The names of the folders are those of Debian's package.
    if let Some(draco) = &draco {
        println!("cargo::rustc-link-search={draco}/lib/{}-linux-gnu", env::consts::ARCH);
        println!("cargo::rustc-link-lib=static=draco");
    }
    println!("cargo::rustc-link-lib=stdc++");
    if let Some(assimp) = folder("CONTAINERS_ASSIMP") {
        println!("cargo::rustc-cfg=has_assimp");
        cc::Build::new().file("assimp.c").include(format!("{assimp}/include")).compile("assimp_reader");
        println!("cargo::rustc-link-search={assimp}/lib");
        println!("cargo::rustc-link-lib=assimp");
        println!("cargo::rustc-link-arg=-Wl,-rpath,{assimp}/lib");
    }
}
