//! Scripts.

use meshlens_unreal::script::Script;
use meshlens_unreal::{ParseOptions, Strictness, VertexEncoding, validate_script, validate_sequences};
use meshlens_wire::{ErrorKind, Report};

use super::limits::{files, parse};

#[test]
fn errors_of_scripts_have_a_location() {
    let error = |text: &str| {
        let error = Script::parse(text.as_bytes()).unwrap_err();
        (error.offset(), error.to_string())
    };
    assert_eq!(error("\n#exec MESH IMPORT MESH=a ANIVFILE=b"), (6, "uc: expected DATAFILE= at 0x6".into()));
    assert_eq!(error("#exec mesh origin mesh=a x=b").0, 27);
    assert_eq!(error("#exec mesh origin mesh=a x=\"q\"").0, 28);
    assert_eq!(
        error("#exec mesh sequence mesh=a seq=b startframe=-1"),
        (44, "uc: STARTFRAME: expected at least 0, found -1 at 0x2c".into())
    );
    assert_eq!(error("#exec meshmap settexture num=1").0, 5);
    assert_eq!(error("#exec mesh notify mesh= seq=b").0, 5);

    let text = b"#exec mesh origin mesh=a x=b\n#exec mesh sequence mesh=a seq=b numframes=2";
    let script = Script::parse_with(text, &ParseOptions::LENIENT).unwrap();
    assert_eq!((script.fault_count(), script.sequences().len()), (1, 1));
    let mut report = Report::default();
    validate_script(&script, &mut report);
    assert_eq!(
        report.findings().map(|f| (f.code, f.offset.unwrap_or_default())).collect::<Vec<_>>(),
        [("EXEC_LINE_SKIPPED", 27)]
    );
}

#[test]
fn scripts_are_read_like_engines_read_them() {
    let text = b"#EXEC Mesh Import Mesh=a AnivFile=\"x y_a.3d\" DataFile=..\\M\\a_d.3d X=1 Y=-2.5 Z=.5 LODNOTEX MLOD=1 ZEROTEX=0 UNMIRROR\r
#exec mesh origin mesh=A x=10 yaw=64 // turned\r
#exec mesh origin mesh=a x=20,y=5 pitch=-32\r
#exec mesh sequence mesh=b seq=Other startframe=9 numframes=1\r
#exec mesh sequence mesh=a seq=Walk startframe=0 numframes=2 rate=7.5 group=G\r
#exec mesh sequence mesh=A seq=Run startframe=2 numframes=3\r
#exec mesh notify mesh=a seq=Run time=0.5 function=Step\r
#exec meshmap new meshmap=am mesh=a\r
#exec meshmap scale meshmap=a x=9 y=9 z=9\r
#exec meshmap scale meshmap=AM x=0.1 y=0.1 z=0.2\r
#exec meshmap settexture meshmap=am num=0 texture=Pkg.Skins.T0\r
#exec meshmap settexture meshmap=am num=0 texture=T1\r
#exec texture import file=Textures\\t1.pcx flags=2\r
#exec texture import name=T0 file=a.pcx\r\n";
    let script = Script::parse(text).unwrap();
    assert_eq!(script.meshes().len(), 1);
    let mesh = script.mesh("A").unwrap();
    let import = mesh.import();
    assert!(import.frames_file == "x y_a.3d" && import.geometry_file == r"..\M\a_d.3d", "{import:?}");
    assert_eq!(import.position, [1.0, -2.5, 0.5]);
    assert_eq!((import.mlod, import.zero_texture, import.unmirror), (true, false, true));
    assert_eq!(
        (mesh.origin(), mesh.rotation()),
        ([20.0, 0.0, 0.0], [0.0, -32.0, 0.0]),
        "the last line counts"
    );
    let sequences: Vec<_> =
        mesh.sequences().iter().map(|s| (s.name.to_string(), s.frames(), s.rate)).collect();
    assert_eq!(sequences, [("Walk".into(), 0..2, Some(7.5)), ("Run".into(), 2..5, None)]);
    assert_eq!(mesh.sequence("walk").unwrap().group, "G");
    assert_eq!((mesh.notifies().len(), mesh.notifies()[0].time), (1, 0.5));
    assert!(mesh.meshmap() == "am");
    assert_eq!(mesh.scale(), [0.1, 0.1, 0.2]);
    assert_eq!(mesh.texture(0).unwrap().texture, "T1");
    assert_eq!((mesh.textures().len(), mesh.texture(1)), (2, None));
    assert_eq!(script.texture_import("t1").unwrap().flags, 2);
    assert_eq!(script.texture_import("Pkg.Skins.T0").unwrap().file, "a.pcx");
    assert_eq!(script.texture_import("T2"), None);
    assert_eq!(mesh.transform().apply([20.0, 0.0, 0.0]), [0.0; 3]);
}

#[test]
fn sequences_past_the_frames_are_findings() {
    let files = files();
    let unreal = parse(&files).unwrap();
    let found = |first: u32, count: u32| -> Vec<&'static str> {
        let text = format!(
            "#exec mesh import mesh=a anivfile=a_a.3d datafile=a_d.3d\n\
             #exec mesh sequence mesh=a seq=s startframe={first} numframes={count}"
        );
        let script = Script::parse(text.as_bytes()).unwrap();
        let mut report = Report::default();
        validate_sequences(script.mesh("a").unwrap().sequences(), unreal.frame_count(), &mut report);
        report.findings().map(|finding| finding.code).collect()
    };
    assert_eq!(found(0, 2), [""; 0]);
    assert_eq!(found(1, 1), [""; 0]);
    assert_eq!(found(1, 2), ["SEQUENCE_OUT_OF_RANGE"]);
    assert_eq!(found(u32::MAX, u32::MAX), ["SEQUENCE_OUT_OF_RANGE"]);
    assert_eq!(found(0, 0), ["SEQUENCE_EMPTY"]);
}

#[test]
fn names_of_values_parse_back() {
    for strictness in [Strictness::Strict, Strictness::Lenient] {
        assert_eq!(strictness.to_string().parse(), Ok(strictness));
    }
    let error = "Strict".parse::<Strictness>().unwrap_err();
    assert_eq!(error.to_string(), "unreal: expected strict or lenient");
    let error = "packed".parse::<VertexEncoding>().unwrap_err();
    assert_eq!(error.to_string(), "unreal: expected packed32 or i16x4");
}

/// A script above the limit is refused before its first line is read.
#[test]
fn a_script_has_at_most_sixteen_mebibytes() {
    let mut text = vec![b' '; 16 << 20];
    assert!(Script::parse(&text).is_ok());
    text.push(b' ');
    let error = Script::parse(&text).unwrap_err();
    let kind = ErrorKind::Limit { what: "bytes of text", limit: 16_777_216, found: 16_777_217 };
    assert_eq!((error.offset(), error.kind()), (0, &kind));
}
