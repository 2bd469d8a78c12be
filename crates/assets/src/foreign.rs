//! Files of other programs.

/// The format of a model or an animation of another program, with its article: `an FBX scene`. Such files can have the
/// extension of a format that is read. `None` for all other files; the first 64 bytes decide.
pub fn foreign_format(bytes: &[u8]) -> Option<&'static str> {
    let known: [(&[u8], &str); 14] = [
        (b"INTERQUAKEMODEL\0", "an IQM model"),
        (b"DARKPLACESMODEL\0", "a DarkPlaces DPM model"),
        (b"ZYMOTICMODEL", "a Zymotic model"),
        (b"IDP2", "a Quake 2 MD2 model"),
        (b"IDPO", "a Quake MDL model"),
        (b"IDST", "a Half-Life or Source MDL model"),
        (b"RDM5", "a Raven MDR model"),
        (b"RSCF", "a RtCW model"),
        (b"MD5Version", "a Doom 3 MD5 model"),
        (b"Kaydara FBX Binary", "an FBX scene"),
        (b"BLENDER", "a Blender file"),
        (b"xof 0", "a DirectX model"),
        (b"@@b@", "an asset of a Paradox game"),
        (b"\xa0\xee\x04\0", "an XNALara model"),
    ];
    if let Some((_, name)) = known.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Some(name);
    }
    // Ogre writes the number of the first chunk, in either byte order, before the name of the serializer.
    if bytes.starts_with(b"\x00\x10[") || bytes.starts_with(b"\x10\x00[") {
        let name = bytes.get(3..).unwrap_or_default();
        if name.starts_with(b"MeshSerializer_v") {
            return Some("an Ogre mesh");
        }
        return name.starts_with(b"Serializer_v").then_some("an Ogre skeleton");
    }
    if bytes.starts_with(b"<mesh>") {
        return Some("an Ogre mesh as XML");
    }
    let start = bytes.get(..bytes.len().min(64)).unwrap_or_default();
    let is_unity = start.starts_with(b"%YAML") && memchr::memmem::find(start, b"unity3d.com").is_some();
    is_unity.then_some("a Unity asset")
}
