//! The application in a browser: the page calls [`start`] with its canvas, and [`Viewer::add_files`] with the files that
//! are dropped on it. Nothing leaves the browser.

use std::cell::RefCell;
use std::rc::Rc;

use eframe::egui;
use wasm_bindgen::prelude::*;

use meshlens_viewer::State;

use crate::App;

/// Files that the application has not taken yet.
type Files = Rc<RefCell<Vec<(String, Vec<u8>)>>>;

/// The viewer of a page.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Viewer {
    files: Files,
    context: egui::Context,
}

/// The application, which takes files from the page.
struct Page {
    app: App,
    files: Files,
    /// The element that describes the shown model.
    status: Option<web_sys::Element>,
    said: String,
}

impl eframe::App for Page {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        let files = std::mem::take(&mut *self.files.borrow_mut());
        if !files.is_empty() {
            self.app.add_files(files);
        }
        self.app.show(ui);
        let status = self.app.status();
        if let Some(element) = self.status.as_ref().filter(|_| status != self.said) {
            // The name is set as text, so that it is never parsed as markup.
            element.set_text_content(Some(&status));
            self.said = status;
        }
    }
}

/// Starts the viewer in a canvas. `status` is an element whose text is set to a description of the shown model. `save`
/// is called with the name and the content of each export.
///
/// # Errors
///
/// The reason why the browser cannot draw, such as missing WebGL2.
#[wasm_bindgen]
pub async fn start(
    canvas: web_sys::HtmlCanvasElement,
    status: Option<web_sys::Element>,
    save: js_sys::Function,
) -> Result<Viewer, JsValue> {
    let files = Files::default();
    let (taken, context) = (Rc::clone(&files), Rc::new(RefCell::new(None)));
    let given = Rc::clone(&context);
    let creator: eframe::AppCreator<'static> = Box::new(move |creation| {
        *given.borrow_mut() = Some(creation.egui_ctx.clone());
        let app = App::new(creation, State::default()).with_save(Box::new(move |name, bytes| {
            let given = save.call2(&JsValue::NULL, &name.into(), &js_sys::Uint8Array::from(bytes));
            given.map(|_| format!("saved: {name}")).map_err(|_| "the browser does not save it".into())
        }));
        Ok(Box::new(Page { app, files: taken, status, said: String::new() }))
    });
    let runner = eframe::WebRunner::new();
    runner.start(canvas, eframe::WebOptions::default(), creator).await?;
    // The runner lives as long as the page.
    std::mem::forget(runner);
    let context = context.borrow_mut().take().ok_or_else(|| JsValue::from_str("the viewer did not start"))?;
    Ok(Viewer { files, context })
}

#[wasm_bindgen]
impl Viewer {
    /// Adds files: their names, which may contain folders, and the content of each.
    #[wasm_bindgen(js_name = addFiles)]
    pub fn add_files(&self, names: Vec<String>, contents: Vec<js_sys::Uint8Array>) {
        let contents = contents.iter().map(js_sys::Uint8Array::to_vec);
        self.files.borrow_mut().extend(names.into_iter().zip(contents));
        self.context.request_repaint();
    }
}
