//! The picture: the model, what is drawn over it, and the mouse.

use eframe::egui::{self, Align2, Color32, FontId, Pos2, Rect, Sense, Stroke, Vec2};
use glam::Vec3;
use meshlens_gpu::render::{RenderOptions, Shading};

use super::App;
use meshlens_viewer::Look;
use meshlens_viewer::camera::Camera;
use meshlens_viewer::marks::{Mark, Marks};

/// The largest number of names that are written.
const MOST_NAMES: usize = 300;

impl App {
    /// The background color of the picture if the user chose none: the color of the theme, or the dark color if the
    /// model is hardly visible on a light background.
    pub(super) fn own_background(&self, ui: &egui::Ui) -> [u8; 3] {
        let needs_dark = self.viewport.as_ref().is_ok_and(super::gpu::Viewport::needs_dark);
        if ui.visuals().dark_mode || needs_dark { [38, 42, 49] } else { [205, 211, 219] }
    }

    pub(super) fn canvas(&mut self, ui: &mut egui::Ui) {
        let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
        let size = rect.size();
        self.canvas = rect;
        if size.x < 1.0 || size.y < 1.0 {
            return;
        }
        self.state.set_aspect(size.x / size.y);
        self.mouse(ui, &response, size);
        if let Ok(viewport) = &mut self.viewport {
            viewport.prepare(&self.state);
        }
        let own = self.own_background(ui);
        let [red, green, blue] = self.state.options.background.unwrap_or(own);
        let color = Color32::from_rgb(red, green, blue);
        ui.painter().rect_filled(rect, 0.0, color);
        let status = self.status();
        response.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Image, true, &status));
        if self.state.is_locked() {
            return self.password_field(ui, rect);
        }
        if let Some(error) = self.state.error() {
            return message(ui, rect, "This model cannot be shown.", error);
        }
        if self.state.opened.is_none() {
            return message(
                ui,
                rect,
                "No model is open.",
                "Drop models, folders or archives into the window.",
            );
        }
        let options = self.render_options(size, color);
        if self.state.options.ground
            && let Some(bounds) = self.state.bounds()
        {
            let mut ground = Marks::default();
            ground.ground(&bounds);
            paint(ui, rect, &options.view_projection, &ground, false, color);
        }
        match &mut self.viewport {
            Ok(viewport) => {
                let scale = ui.ctx().pixels_per_point();
                let pixels = [size.x * scale, size.y * scale].map(|side| (side.round() as u32).max(1));
                match viewport.draw(&self.state, &options, pixels) {
                    Ok(texture) => {
                        let whole = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
                        ui.painter().image(texture, rect, whole, Color32::WHITE);
                    }
                    Err(error) => return message(ui, rect, "This model cannot be drawn.", &error),
                }
            }
            Err(error) => message(ui, rect, "Models cannot be drawn.", error),
        }
        let marks = self.marks();
        paint(ui, rect, &options.view_projection, &marks, self.state.options.names, color);
    }

    fn mouse(&mut self, ui: &egui::Ui, response: &egui::Response, size: Vec2) {
        let drag = response.drag_delta();
        let moves = response.dragged_by(egui::PointerButton::Secondary)
            || response.dragged_by(egui::PointerButton::Middle)
            || ui.input(|input| input.modifiers.shift);
        if drag != Vec2::ZERO && moves {
            self.state.camera.pan(drag.x, drag.y, size.y);
        } else if drag != Vec2::ZERO {
            self.state.camera.orbit(drag.x, drag.y);
        }
        if response.hovered() {
            let (scroll, pinch) = ui.input(|input| (input.smooth_scroll_delta.y, input.zoom_delta()));
            self.state.camera.zoom((-scroll * 0.004).exp() / pinch);
        }
        if response.double_clicked()
            && let Some(at) = response.interact_pointer_pos()
        {
            let at = (at - response.rect.min) / size;
            self.state.focus_at([at.x, at.y]);
        }
    }

    /// Asks for the password of an encrypted model.
    fn password_field(&mut self, ui: &mut egui::Ui, rect: Rect) {
        let space = rect.shrink2(Vec2::new(rect.width() * 0.1, rect.height() * 0.3));
        ui.scope_builder(egui::UiBuilder::new().max_rect(space), |ui| {
            ui.vertical_centered(|ui| {
                ui.heading("This model is encrypted.");
                ui.add(egui::Label::new(self.state.error().unwrap_or_default()).wrap());
                let label = ui.label("Password");
                let field =
                    egui::TextEdit::singleline(&mut self.password).password(true).desired_width(200.0);
                let field = ui.add(field).labelled_by(label.id);
                let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
                if ui.button("Unlock").clicked() || is_entered {
                    self.state.set_password(&std::mem::take(&mut self.password));
                }
            });
        });
    }

    fn render_options(&self, size: Vec2, color: Color32) -> RenderOptions {
        let camera = &self.state.camera;
        let mut options = RenderOptions::looking(camera.position(), camera.target, size.x / size.y);
        // The light comes from the left, above the camera.
        let [right, _, back] = camera.axes().map(Vec3::from);
        let light = back * 0.8 + Vec3::Y * 0.55 - right * 0.45;
        options.light = light.normalize_or(Vec3::Y).to_array();
        // The ground is painted below the picture.
        options.background = [0.0; 4];
        let is_dark = color.intensity() < 0.5;
        let edge = if is_dark { [0.08, 0.09, 0.11, 1.0] } else { [0.12, 0.14, 0.18, 1.0] };
        options.edges = self.state.options.edges.then_some(edge);
        options.culling = !self.state.options.back_faces;
        options.shading = match self.state.options.look {
            Look::Lit => Shading::Lit,
            Look::Flat => Shading::Flat,
            Look::Unlit => Shading::Unlit,
            Look::Normals => Shading::Normals,
            Look::Wires => Shading::Wires,
        };
        options
    }

    /// The marks that are drawn over the picture.
    fn marks(&self) -> Marks {
        let mut marks = Marks::default();
        let options = &self.state.options;
        let (Some(scene), Some(bounds)) = (self.state.scene(), self.state.bounds()) else { return marks };
        let (view, pose) = (self.state.view(&scene), self.state.pose(&scene));
        let diagonal = (Vec3::from(bounds.max) - Vec3::from(bounds.min)).length();
        if options.bounds {
            marks.bounds(&bounds);
        }
        if options.tags {
            marks.tags(&view, &pose, diagonal * 0.08);
        }
        if options.skeleton {
            marks.skeleton(&view, &pose);
        }
        if options.normals {
            marks.normals(&view, &pose, diagonal * 0.02);
        }
        if let Some(place) = &self.state.marked {
            marks.place(&view, &pose, place, diagonal * 0.05);
        }
        marks
    }
}

/// Paints lines and names over the picture.
fn paint(
    ui: &egui::Ui,
    rect: Rect,
    view_projection: &[[f32; 4]; 4],
    marks: &Marks,
    names: bool,
    background: Color32,
) {
    let is_dark = background.intensity() < 0.5;
    let painter = ui.painter().with_clip_rect(rect);
    let at = |point: [f32; 3]| {
        let [x, y] = Camera::project(view_projection, point)?;
        Some(Pos2::new(rect.left() + x * rect.width(), rect.top() + y * rect.height()))
    };
    for (mark, [from, to]) in &marks.lines {
        if let (Some(from), Some(to)) = (at(*from), at(*to)) {
            painter.line_segment([from, to], stroke(*mark, is_dark));
        }
    }
    if !names {
        return;
    }
    let text = if is_dark { Color32::from_gray(240) } else { Color32::from_gray(20) };
    let back = if is_dark { Color32::from_black_alpha(150) } else { Color32::from_white_alpha(190) };
    let mut taken: Vec<Rect> = Vec::new();
    for (_, point, name) in marks.names.iter().take(MOST_NAMES) {
        let Some(position) = at(*point).filter(|position| rect.contains(*position)) else { continue };
        let galley = painter.layout_no_wrap(name.clone(), FontId::proportional(12.0), text);
        let mut place = Align2::LEFT_CENTER.anchor_size(position + Vec2::new(6.0, 0.0), galley.size());
        // The position is moved until names do not overlap.
        for _ in 0..12 {
            let Some(other) = taken.iter().find(|other| other.intersects(place)) else { break };
            place = place.translate(Vec2::new(0.0, other.bottom() - place.top() + 1.0));
        }
        if taken.iter().any(|other| other.intersects(place)) {
            continue;
        }
        taken.push(place);
        painter.rect_filled(place.expand(2.0), 3.0, back);
        painter.galley(place.min, galley, text);
    }
}

fn stroke(mark: Mark, is_dark: bool) -> Stroke {
    let [red, green, blue] = match (mark, is_dark) {
        (Mark::X, _) => [230, 60, 60],
        (Mark::Y, true) => [90, 210, 90],
        (Mark::Y, false) => [20, 140, 40],
        (Mark::Z, _) => [70, 120, 250],
        (Mark::Bone, true) => [255, 200, 60],
        (Mark::Bone, false) => [170, 100, 0],
        (Mark::Bounds, true) => [150, 200, 255],
        (Mark::Bounds, false) => [30, 80, 150],
        (Mark::Normal, true) => [120, 230, 230],
        (Mark::Normal, false) => [0, 110, 120],
        (Mark::Finding, _) => [255, 60, 160],
        (Mark::Ground, true) => [66, 72, 82],
        (Mark::Ground, false) => [178, 185, 195],
    };
    let width = match mark {
        Mark::X | Mark::Y | Mark::Z | Mark::Finding => 2.0,
        Mark::Bone => 1.5,
        Mark::Bounds | Mark::Normal | Mark::Ground => 1.0,
    };
    Stroke::new(width, Color32::from_rgb(red, green, blue))
}

/// A message in place of the model.
fn message(ui: &mut egui::Ui, rect: Rect, title: &str, why: &str) {
    let space = rect.shrink2(Vec2::new(rect.width() * 0.1, rect.height() * 0.35));
    ui.scope_builder(egui::UiBuilder::new().max_rect(space), |ui| {
        ui.vertical_centered(|ui| {
            ui.heading(title);
            ui.add(egui::Label::new(why).wrap());
        });
    });
}
