//! Variants of materials (KHR_materials_variants).

use std::collections::BTreeMap;

use meshlens::model::Mesh;
use meshlens::scene::Variant;

use crate::Error;
use crate::builder::{Builder, added};
use crate::json::{Mapping, PrimitiveExtension, RootExtension, VariantName};

impl Builder<'_, '_, '_> {
    /// Adds the materials that mesh `number` of its model has in variants to the primitives of mesh `index` of the document.
    /// Variants of several models with one name are one variant.
    pub(crate) fn variants(
        &mut self,
        index: usize,
        number: usize,
        mesh: &Mesh<'_>,
        variants: &[Variant],
    ) -> Result<(), Error> {
        let mut mappings: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for variant in variants {
            let Some(material) = variant.materials.get(number).and_then(Option::as_ref) else { continue };
            if material.hidden {
                let message = format!("mesh {}: it is not drawn in variant {}", mesh.name, variant.name);
                self.loss(&meshlens::codes::SURFACE_HIDDEN, 1, message)?;
                continue;
            }
            let material = self.material(material, mesh.texcoord_sets())?;
            let name = self.variant(&variant.name)?;
            self.memory.elements::<(usize, usize, Mapping)>(1, "variants")?;
            let named = mappings.entry(material).or_default();
            if !named.contains(&name) {
                named.push(name);
            }
        }
        if mappings.is_empty() {
            return Ok(());
        }
        let mappings: Vec<Mapping> =
            mappings.into_iter().map(|(material, variants)| Mapping { material, variants }).collect();
        let primitives = &mut self.root.meshes[index].primitives;
        self.memory.array::<Mapping>(mappings.len().saturating_mul(primitives.len()), "variants")?;
        for primitive in primitives {
            primitive.extensions = Some(PrimitiveExtension::Variants { mappings: mappings.clone() });
        }
        Ok(())
    }

    /// The index of a variant. It is added unless one of this name exists.
    fn variant(&mut self, name: &str) -> Result<usize, Error> {
        self.use_extension("KHR_materials_variants", false);
        let extension =
            self.root.extensions.get_or_insert_with(|| RootExtension::Variants { variants: Vec::new() });
        let RootExtension::Variants { variants } = extension;
        if let Some(known) = variants.iter().position(|known| known.name == name) {
            return Ok(known);
        }
        self.memory.elements::<VariantName>(1, "variants")?;
        self.memory.bytes(name.len(), "the name of a variant")?;
        Ok(added(variants, VariantName { name: name.to_owned() }))
    }
}
