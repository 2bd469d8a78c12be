//! The calls that open and close files.

use std::mem::zeroed;
use std::ptr::{null, null_mut};

use super::{Machine, Program};
use meshlens_capi::ml_result::ML_OK;
use meshlens_capi::*;

impl Machine<'_> {
    /// Keeps an opened file for other calls. If there are many files, the first one is closed.
    pub(super) fn keep(&mut self, file: *mut ml_asset, code: ml_result) {
        assert_eq!(file.is_null(), code != ML_OK);
        if file.is_null() {
            return;
        }
        if self.files.len() >= 4 {
            // SAFETY: nothing uses the first file.
            unsafe { ml_close(self.files.remove(0)) };
        }
        self.closed.retain(|closed| *closed != file);
        self.files.push(file);
    }

    pub(super) unsafe fn open(&mut self, program: &mut Program<'_>) {
        // SAFETY: the arguments fulfill the requirements of the header.
        unsafe {
            let mut opts: ml_open_opts = zeroed();
            opts.memory_limit = 1 << 24;
            if program.chance(4) {
                opts.format = program.number();
                opts.ownership = program.number() % 3;
                opts.memory_limit = program.size(1 << 16);
                opts.size = program.size(1 << 10);
            }
            if opts.size > size_of::<ml_open_opts>() {
                // Only the beginning of a larger struct is available.
                opts.size = size_of::<ml_open_opts>();
            }
            let size = if program.chance(4) { program.size(self.bytes.len()) } else { self.bytes.len() };
            let mut file = null_mut();
            let code = program.call(|_, error| {
                ml_open_memory(self.bytes.as_ptr().cast(), size, &raw const opts, &raw mut file, error)
            });
            self.keep(file, code);
        }
    }

    pub(super) unsafe fn close(&mut self, program: &mut Program<'_>) {
        if self.files.is_empty() {
            return;
        }
        let file = self.files.swap_remove(program.byte() as usize % self.files.len());
        // SAFETY: the file is open.
        assert_eq!(unsafe { ml_close(file) }, ML_OK);
        self.closed.push(file);
    }

    pub(super) unsafe fn inputs(&mut self, program: &mut Program<'_>) {
        // SAFETY: the arguments fulfill the requirements of the header.
        unsafe {
            let names = [c"", c"x.md3", c"x_d.3d", c"x_a.3d", c"x.uc", c"animation.cfg", c"x.skin", c"\xff"];
            let half = self.bytes.split_at(program.size(self.bytes.len()));
            let mut list = || {
                let data = if program.chance(2) { half.0 } else { half.1 };
                ml_input_file {
                    path: names.get(program.index()).map_or(null(), |name| name.as_ptr()),
                    data: data.as_ptr().cast(),
                    size: data.len(),
                    role: program.number(),
                }
            };
            let list = [list(), list(), list()];
            let count = program.byte() as usize % (list.len() + 1);
            let mut file = null_mut();
            let code =
                program.call(|_, error| ml_open_files(list.as_ptr(), count, null(), &raw mut file, error));
            self.keep(file, code);
        }
    }
}
