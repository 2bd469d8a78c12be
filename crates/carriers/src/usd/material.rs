//! Materials, as UsdPreviewSurface.

use meshlens::model::{Alpha, Material, TextureAlpha, TextureCoordinates, Wrap};
use meshlens::{Report, codes};

use super::text::{Number, display_name};
use super::writer::{FindTexture, Writer};
use crate::Error;

impl Writer<'_, '_, '_> {
    /// Writes the materials of all nodes, and keeps their paths.
    pub(super) fn materials(&mut self) -> Result<(), Error> {
        let nodes = &self.scene.nodes;
        if nodes.iter().all(|node| node.model.materials.is_empty()) {
            return Ok(());
        }
        let scope = self.names.add("Materials");
        let mut names = super::text::Names::default();
        self.text.prim(format_args!("def Scope \"{scope}\""), &[])?;
        for node in nodes {
            let mut paths = Vec::new();
            for material in &node.model.materials {
                let name = names.add(&material.name);
                let path = format!("/{}/{scope}/{name}", self.root);
                let metadata = display_name(&material.name, &name);
                self.text.prim(format_args!("def Material \"{name}\""), metadata.as_slice())?;
                self.surface(material, &path)?;
                self.text.close("}")?;
                paths.push(path);
            }
            self.material_paths.push(paths);
        }
        self.text.close("}")?;
        Ok(())
    }

    fn surface(&mut self, material: &Material, path: &str) -> Result<(), Error> {
        let texture = texture(material, self.textures);
        lose(material, texture.is_some(), &mut self.losses);
        let text = &mut self.text;
        let value = |value: f32| if value.is_finite() { value } else { 1.0 };
        let [red, green, blue, alpha] = material.color.map(value);
        let color = if texture.is_some() {
            format!(".connect = <{path}/Texture.outputs:rgb>")
        } else {
            format!(" = {}", Number([red, green, blue]))
        };
        let emitted = material.emissive.map(|part| if part.is_finite() { part } else { 0.0 });
        text.line(format_args!("token outputs:surface.connect = <{path}/Surface.outputs:surface>"))?;
        text.prim(format_args!("def Shader \"Surface\""), &[])?;
        text.line(format_args!("uniform token info:id = \"UsdPreviewSurface\""))?;
        if material.unlit {
            // Only emitted light is drawn the same everywhere.
            text.line(format_args!("color3f inputs:diffuseColor = (0, 0, 0)"))?;
            text.line(format_args!("color3f inputs:emissiveColor{color}"))?;
        } else {
            text.line(format_args!("color3f inputs:diffuseColor{color}"))?;
            text.line(format_args!("color3f inputs:emissiveColor = {}", Number(emitted)))?;
        }
        if material.alpha != Alpha::Opaque {
            if texture.is_some() {
                text.line(format_args!("float inputs:opacity.connect = <{path}/Texture.outputs:a>"))?;
            } else {
                text.line(format_args!("float inputs:opacity = {}", Number(alpha)))?;
            }
        }
        if material.alpha == Alpha::Mask {
            let cutoff = material.cutoff.clamp(f32::MIN_POSITIVE, 1.0);
            text.line(format_args!("float inputs:opacityThreshold = {}", Number(cutoff)))?;
        }
        text.line(format_args!("float inputs:metallic = 0"))?;
        text.line(format_args!("float inputs:roughness = 1"))?;
        text.line(format_args!("token outputs:surface"))?;
        text.close("}")?;
        let Some(file) = texture else { return Ok(()) };
        text.prim(format_args!("def Shader \"Texture\""), &[])?;
        text.line(format_args!("uniform token info:id = \"UsdUVTexture\""))?;
        let mark = if file.contains('@') { "@@@" } else { "@" };
        let file: String = file.chars().filter(|c| !c.is_control()).collect();
        text.line(format_args!("asset inputs:file = {mark}{file}{mark}"))?;
        text.line(format_args!("float4 inputs:scale = {}", Number([red, green, blue, alpha])))?;
        text.line(format_args!("token inputs:sourceColorSpace = \"sRGB\""))?;
        for (axis, wrap) in ["S", "T"].into_iter().zip(material.wrap) {
            let wrap = match wrap {
                Wrap::Repeat => "repeat",
                Wrap::Mirror => "mirror",
                Wrap::Clamp => "clamp",
            };
            text.line(format_args!("token inputs:wrap{axis} = \"{wrap}\""))?;
        }
        text.line(format_args!("float2 inputs:st.connect = <{path}/Coordinates.outputs:result>"))?;
        text.line(format_args!("float3 outputs:rgb"))?;
        text.line(format_args!("float outputs:a"))?;
        text.close("}")?;
        text.prim(format_args!("def Shader \"Coordinates\""), &[])?;
        text.line(format_args!("uniform token info:id = \"UsdPrimvarReader_float2\""))?;
        text.line(format_args!("string inputs:varname = \"st\""))?;
        text.line(format_args!("float2 outputs:result"))?;
        text.close("}")?;
        Ok(())
    }
}

/// The file of a material's texture. Textures of other sets of coordinates and of reflections are not found.
fn texture(material: &Material, find: Option<FindTexture<'_>>) -> Option<String> {
    let is_stored = material.texture_coordinates == TextureCoordinates::Stored && material.texture_set == 0;
    find.filter(|_| is_stored && (material.texture.is_some() || material.image.is_some()))?(material)
}

/// Lists the properties of a material that are not written.
fn lose(material: &Material, has_texture: bool, losses: &mut Report) {
    let back = Material {
        texture_alpha: if has_texture { material.texture_alpha } else { TextureAlpha::Stored },
        texture_coordinates: TextureCoordinates::Stored,
        texture_set: 0,
        height_map: None,
        normal_map: None,
        nearest: false,
        emissive: if material.unlit { [0.0; 3] } else { material.emissive },
        sprites: false,
        ..material.clone()
    };
    if let Some(message) = material.lost(&back) {
        let place = format_args!("material {}", material.name);
        losses.lose(&codes::MATERIAL_LOST, 1, place, format_args!("{message}"));
    }
}
