//! Names of semantics, formats and components.

use meshlens_lens::*;

#[test]
fn names_are_parsed_back() {
    for semantic in Semantic::ALL {
        assert_eq!(semantic.name().parse(), Ok(*semantic));
    }
    for format in VertexFormat::ALL {
        assert_eq!(format.name(), format!("{format:?}").to_lowercase());
        assert_eq!(format.to_string().parse(), Ok(*format));
    }
    for component in ComponentType::ALL {
        assert_eq!(component.name().parse(), Ok(*component));
    }
    assert_eq!((Semantic::ALL.len(), VertexFormat::ALL.len(), IndexFormat::ALL.len()), (24, 32, 2));
    let error = "float64".parse::<VertexFormat>().unwrap_err();
    assert_eq!(error.to_string(), "meshlens: expected the name of a vertex format, such as float32x3");
}
