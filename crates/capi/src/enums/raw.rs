//! Enumerations as C passes them: numbers, which may be out of range.

/// A number of the enumeration of the same name.
pub type ml_result = i32;
/// A number of the enumeration of the same name.
pub type ml_format = i32;
/// A number of the enumeration of the same name.
pub type ml_role = i32;
/// A number of the enumeration of the same name.
pub type ml_access = i32;
/// A number of the enumeration of the same name.
pub type ml_ownership = i32;
/// A number of the enumeration of the same name.
pub type ml_semantic = i32;
/// A number of the enumeration of the same name.
pub type ml_component = i32;
/// A number of the enumeration of the same name.
pub type ml_numbers = i32;
/// A number of the enumeration of the same name.
pub type ml_vertex_format = i32;
/// A number of the enumeration of the same name.
pub type ml_attribute = i32;
/// A number of the enumeration of the same name.
pub type ml_index_format = i32;
/// A number of the enumeration of the same name.
pub type ml_axis = i32;
/// A number of the enumeration of the same name.
pub type ml_winding = i32;
/// A number of the enumeration of the same name.
pub type ml_handedness = i32;
/// A number of the enumeration of the same name.
pub type ml_space_id = i32;
/// A number of the enumeration of the same name.
pub type ml_severity = i32;
/// A number of the enumeration of the same name.
pub type ml_alpha = i32;
/// A number of the enumeration of the same name.
pub type ml_texture_alpha = i32;
/// A number of the enumeration of the same name.
pub type ml_wrap = i32;
/// A number of the enumeration of the same name.
pub type ml_texture_format = i32;
/// A number of the enumeration of the same name.
pub type ml_texture_coordinates = i32;
/// A number of the enumeration of the same name.
pub type ml_glb_frames = i32;
/// A number of the enumeration of the same name.
pub type ml_part_kind = i32;
/// A number of the enumeration of the same name.
pub type ml_request_state = i32;
