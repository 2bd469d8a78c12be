//! The panel with the details of a model.

use eframe::egui::{self, Color32, RichText};
use meshlens::Severity;
use meshlens::scene::{Attachment, Socket};

use super::App;
use meshlens_viewer::findings::{FindingTarget, ModelFinding};
use meshlens_viewer::opened::NO_TEXTURE;
use meshlens_viewer::text;

/// The largest number of rows of a table.
const MOST_ROWS: usize = 400;

impl App {
    pub(super) fn details(&mut self, ui: &mut egui::Ui) {
        egui::ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            ui.add_space(4.0);
            section(ui, "Show", true, |ui| self.show_options(ui));
            if self.state.model().is_none() {
                self.faults(ui);
                return;
            }
            section(ui, "Numbers", true, |ui| self.show_numbers(ui));
            self.findings(ui);
            section(ui, "Textures", true, |ui| self.textures(ui));
            self.skins(ui);
            self.weapon(ui);
            self.tags(ui);
            self.joints(ui);
            section(ui, "Meshes", false, |ui| self.meshes(ui));
            section(ui, "Files", false, |ui| self.files(ui));
            self.faults(ui);
        });
    }

    fn show_numbers(&self, ui: &mut egui::Ui) {
        let Some(numbers) = self.numbers() else { return };
        egui::Grid::new("numbers").num_columns(2).striped(true).show(ui, |ui| {
            for (name, value) in numbers.rows() {
                ui.label(name);
                ui.add(egui::Label::new(value).wrap());
                ui.end_row();
            }
        });
        let adapter = self.viewport.as_ref().map_or("", super::gpu::Viewport::adapter);
        ui.add(egui::Label::new(RichText::new(adapter).weak().small()).wrap());
    }

    fn findings(&mut self, ui: &mut egui::Ui) {
        let Some(opened) = self.state.model() else { return };
        let counts: Vec<String> = (opened.counts.iter())
            .filter(|(_, count)| *count > 0)
            .map(|(severity, count)| format!("{count} {severity}{}", if *count == 1 { "" } else { "s" }))
            .collect();
        let title = if counts.is_empty() {
            "Findings: none".into()
        } else {
            format!("Findings: {}", counts.join(", "))
        };
        let is_bad = opened.counts.first().is_some_and(|(_, count)| *count > 0);
        let mut chosen = None;
        egui::CollapsingHeader::new(title).id_salt("findings").default_open(is_bad).show(ui, |ui| {
            for group in &opened.findings {
                let color = severity_color(ui, group.severity);
                ui.add(egui::Label::new(RichText::new(&group.text).color(color)).wrap());
                let places = |ui: &mut egui::Ui, chosen: &mut Option<FindingTarget>| {
                    for found in group.found.iter().take(MOST_ROWS) {
                        place(ui, found, chosen);
                    }
                };
                match group.found.len() {
                    0 => {}
                    1 => places(ui, &mut chosen),
                    count => {
                        let header = egui::CollapsingHeader::new(format!("{count} places"));
                        header.id_salt(group.code).show(ui, |ui| places(ui, &mut chosen));
                    }
                }
                ui.separator();
            }
        });
        if let Some(place) = chosen {
            self.state.show_place(place);
        }
    }

    fn textures(&self, ui: &mut egui::Ui) {
        let rows = self.viewport.as_ref().map_or(&[][..], super::gpu::Viewport::textures);
        if rows.is_empty() {
            ui.label("The model has no materials.");
        }
        for (material, texture) in rows.iter().take(MOST_ROWS) {
            ui.horizontal_wrapped(|ui| match texture {
                Ok(size) => {
                    ui.colored_label(good(ui), "found");
                    ui.label(format!("{material} ({} × {})", size[0], size[1]));
                }
                Err(why) if why == NO_TEXTURE => {
                    ui.weak("none");
                    ui.label(material);
                }
                Err(why) => {
                    ui.colored_label(severity_color(ui, Severity::Warning), "missing");
                    ui.label(material).on_hover_text(why);
                    // If a file is not found, its name is the name of the material.
                    if !why.starts_with("not found") {
                        ui.label(RichText::new(why).weak().small());
                    }
                }
            });
        }
    }

    fn skins(&mut self, ui: &mut egui::Ui) {
        let Some(opened) = self.state.model() else { return };
        if opened.skins.is_empty() {
            return;
        }
        let (skins, current) = (opened.skins.clone(), opened.skin.clone());
        let mut chosen = None;
        section(ui, "Skins", true, |ui| {
            ui.horizontal_wrapped(|ui| {
                if ui.selectable_label(current.is_none(), "as opened").clicked() {
                    chosen = Some(None);
                }
                for skin in &skins {
                    if ui.selectable_label(current.as_ref() == Some(skin), text::line(skin)).clicked() {
                        chosen = Some(Some(skin.clone()));
                    }
                }
            });
        });
        if let Some(skin) = chosen {
            self.state.set_skin(skin.as_deref());
        }
    }

    /// The model that is attached to the weapon tag.
    fn weapon(&mut self, ui: &mut egui::Ui) {
        let Some(hand) = self.state.weapon_tag() else { return };
        let items = self.state.library.items();
        let attached = self.state.attached.as_ref().filter(|attached| attached.at == hand);
        let current = attached.map_or("none", |attached| attached.name.as_str());
        let weapons = self.state.weapons();
        let mut chosen = None;
        section(ui, "Weapon", true, |ui| {
            let label = ui.label("On tag_weapon").id;
            let weapon_box = egui::ComboBox::from_id_salt("weapon").width(200.0).truncate();
            let weapon_box = weapon_box.selected_text(current).show_ui(ui, |ui| {
                if ui.selectable_label(attached.is_none(), "none").clicked() {
                    chosen = Some(None);
                }
                for index in weapons.into_iter().take(MOST_ROWS) {
                    let Some(item) = items.get(index) else { continue };
                    if ui.selectable_label(current == item.name, &item.name).clicked() {
                        chosen = Some(Some(index));
                    }
                }
            });
            weapon_box.response.labelled_by(label);
        });
        match chosen {
            Some(Some(item)) => self.notice = self.state.attach(hand, item).err(),
            Some(None) => self.state.detach(),
            None => {}
        }
    }

    fn tags(&mut self, ui: &mut egui::Ui) {
        let Some(opened) = self.state.model() else { return };
        let tags: Vec<(Attachment, String)> = (opened.scene().nodes.iter().enumerate())
            .flat_map(|(node, of)| {
                let at = move |tag| Attachment { node, socket: Socket::Tag(tag) };
                of.model.tags.iter().map(move |tag| (at(tag.index), text::line(&tag.name)))
            })
            .take(MOST_ROWS)
            .collect();
        if tags.is_empty() {
            return;
        }
        let attached = self.state.attached.as_ref().map(|attached| attached.at);
        let (mut attach, mut detach) = (None, false);
        let items = self.state.library.items();
        section(ui, &format!("Tags ({})", tags.len()), false, |ui| {
            for (at, name) in &tags {
                ui.horizontal(|ui| {
                    ui.label(name);
                    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                        if attached == Some(*at) {
                            detach |= ui.button("Detach").clicked();
                        } else {
                            ui.menu_button("Attach…", |ui| {
                                egui::ScrollArea::vertical().max_height(300.0).show(ui, |ui| {
                                    for (index, item) in items.iter().enumerate().take(MOST_ROWS) {
                                        if ui.button(&item.name).clicked() {
                                            attach = Some((*at, index));
                                        }
                                    }
                                });
                            });
                        }
                    });
                });
            }
        });
        if detach {
            self.state.detach();
        }
        if let Some((at, item)) = attach {
            self.notice = self.state.attach(at, item).err();
        }
    }

    fn joints(&self, ui: &mut egui::Ui) {
        let Some(opened) = self.state.model() else { return };
        let count: usize = opened.scene().nodes.iter().map(|part| part.model.joints.len()).sum();
        if count == 0 {
            return;
        }
        section(ui, &format!("Joints ({count})"), false, |ui| {
            let joints = opened.scene().nodes.iter().flat_map(|part| {
                part.model.joints.iter().map(|joint| {
                    let parent = joint.parent.and_then(|parent| part.model.joints.get(parent));
                    (text::line(&joint.name), parent.map(|parent| text::line(&parent.name)))
                })
            });
            for (name, parent) in joints.take(MOST_ROWS) {
                ui.horizontal_wrapped(|ui| {
                    ui.label(name);
                    if let Some(parent) = parent {
                        ui.label(RichText::new(format!("child of {parent}")).weak().small());
                    }
                });
            }
        });
    }

    fn meshes(&self, ui: &mut egui::Ui) {
        let Some(opened) = self.state.model() else { return };
        egui::Grid::new("meshes").num_columns(3).striped(true).show(ui, |ui| {
            for title in ["Name", "Points", "Triangles"] {
                ui.strong(title);
            }
            ui.end_row();
            for mesh in opened.scene().nodes.iter().flat_map(|part| &part.model.meshes).take(MOST_ROWS) {
                ui.add(egui::Label::new(text::line(&mesh.name)).wrap());
                ui.label(mesh.point_count().to_string());
                ui.label(mesh.triangle_count().to_string());
                ui.end_row();
            }
        });
    }

    fn files(&self, ui: &mut egui::Ui) {
        let Some(opened) = self.state.model() else { return };
        for file in opened.files().iter().take(MOST_ROWS) {
            ui.add(egui::Label::new(text::line(&file.name)).wrap());
            ui.label(RichText::new(format!("{}, {}", file.role, text::bytes(file.len))).weak().small());
        }
    }

    /// Files that could not be searched.
    fn faults(&self, ui: &mut egui::Ui) {
        let color = severity_color(ui, Severity::Error);
        for fault in self.state.library.faults.iter().take(20) {
            ui.add(egui::Label::new(RichText::new(fault).color(color)).wrap());
        }
    }
}

/// The location of a finding, as a link if it can be shown.
fn place(ui: &mut egui::Ui, found: &ModelFinding, chosen: &mut Option<FindingTarget>) {
    let pointer = text::line(&found.finding.pointer);
    let name = match found.finding.offset {
        _ if !pointer.is_empty() => pointer,
        Some(offset) => format!("at {offset:#x}"),
        None => return,
    };
    if !found.place.is_any() {
        ui.label(RichText::new(name).weak().small());
    } else if ui.link(name).on_hover_text("Show the place in the picture").clicked() {
        *chosen = Some(found.place);
    }
}

fn section(ui: &mut egui::Ui, title: &str, is_open: bool, content: impl FnOnce(&mut egui::Ui)) {
    let id = title.split(' ').next().unwrap_or(title);
    egui::CollapsingHeader::new(title).id_salt(id).default_open(is_open).show(ui, content);
}

/// The color of a severity, with enough contrast in both themes.
pub(super) fn severity_color(ui: &egui::Ui, severity: Severity) -> Color32 {
    let is_dark = ui.visuals().dark_mode;
    match (severity, is_dark) {
        (Severity::Error, true) => Color32::from_rgb(255, 120, 110),
        (Severity::Error, false) => Color32::from_rgb(180, 20, 20),
        (Severity::Warning, true) => Color32::from_rgb(240, 190, 90),
        (Severity::Warning, false) => Color32::from_rgb(140, 85, 0),
        (_, true) => Color32::from_rgb(140, 190, 255),
        (_, false) => Color32::from_rgb(20, 80, 170),
    }
}

fn good(ui: &egui::Ui) -> Color32 {
    if ui.visuals().dark_mode { Color32::from_rgb(120, 210, 130) } else { Color32::from_rgb(20, 110, 40) }
}
