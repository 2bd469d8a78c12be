//! The calls of a program: each with arguments that the program chooses, and checks of what it returns.

use std::mem::zeroed;
use std::ptr::null_mut;

use super::get::get;
use super::{Machine, Program, ROOM, write};
use meshlens_capi::ml_result::ML_OK;
use meshlens_capi::*;

impl Machine<'_> {
    /// # Safety
    ///
    /// The handles of the machine are open.
    pub(super) unsafe fn step(&mut self, call: u8, program: &mut Program<'_>) {
        // SAFETY: the arguments fulfill the requirements of the header.
        unsafe {
            match call % 22 {
                0 => self.open(program),
                1 => self.close(program),
                2 => self.inputs(program),
                5 => self.decode(program),
                8 | 9 => self.scene(program),
                14 => self.pose(program),
                16 => self.validate(program),
                17 => self.findings(program),
                18 => self.export(program),
                19 => self.stream(program),
                20 => self.frame_name(program),
                21 => self.detect(program),
                getter => self.getter(getter, program),
            }
        }
    }

    /// Getters of a file, which fill one struct.
    unsafe fn getter(&mut self, getter: u8, program: &mut Program<'_>) {
        // SAFETY: the arguments fulfill the requirements of the header.
        unsafe {
            let file = self.file(program);
            match getter {
                3 => get!(program, ml_file_info, |to, error| ml_get_file_info(file, to, error)),
                4 => {
                    let index = program.index();
                    get!(program, ml_array, |to, error| ml_get_array(file, index, to, error));
                }
                6 => get!(program, ml_model, |to, error| ml_get_model(file, to, error)),
                7 => {
                    let mesh = program.index();
                    get!(program, ml_mesh, |to, error| ml_get_mesh(file, mesh, to, error));
                }
                10 => {
                    let index = program.index();
                    get!(program, ml_clip, |to, error| ml_get_clip(file, index, to, error));
                    let time = program.float();
                    get!(program, ml_blend, |to, error| ml_sample_clip(file, index, time, to, error));
                }
                11 => {
                    let (mesh, frame) = (program.index(), program.index());
                    get!(program, ml_bounds, |to, error| ml_get_bounds(file, mesh, frame, to, error));
                }
                12 => {
                    let index = program.index();
                    get!(program, ml_material, |to, error| ml_get_material(file, index, to, error));
                    get!(program, ml_joint, |to, error| ml_get_joint(file, index, to, error));
                    get!(program, ml_animation, |to, error| ml_get_animation(file, index, to, error));
                }
                13 => {
                    let tag = program.index();
                    let blend = ml_blend { a: program.index(), b: program.index(), weight: program.float() };
                    get!(program, ml_tag_pose, |to, error| ml_get_tag_pose(file, tag, blend, to, error));
                }
                _ => {
                    let (mesh, attribute, set) = (program.index(), program.number(), program.index() as u32);
                    let get =
                        |to: *mut u64, error| ml_has_attribute(file, mesh, attribute, set, to.cast(), error);
                    get!(program, u64, |to, error| get(to, error));
                }
            }
        }
    }

    unsafe fn findings(&mut self, program: &mut Program<'_>) {
        // SAFETY: the arguments fulfill the requirements of the header.
        unsafe {
            let (report, index) = (self.report(program), program.index());
            get!(program, ml_report_info, |to, error| ml_get_report_info(report, to, error));
            get!(program, ml_finding, |to, error| ml_get_finding(report, index, to, error));
            get!(program, ml_finding_group, |to, error| ml_get_finding_group(report, index, to, error));
        }
    }

    unsafe fn frame_name(&mut self, program: &mut Program<'_>) {
        // SAFETY: the arguments fulfill the requirements of the header.
        unsafe {
            let (file, mesh, frame) = (self.file(program), program.index(), program.index());
            let size = program.size(ROOM);
            let out = self.out.at(0).cast();
            program.call(|_, error| ml_get_frame_name(file, mesh, frame, out, size, error));
            self.out.finish(size);
        }
    }

    unsafe fn detect(&mut self, program: &mut Program<'_>) {
        // SAFETY: arguments are valid for what the header asks.
        unsafe {
            let size = program.size(self.bytes.len());
            let mut found = 0;
            let (bytes, version) = (self.bytes.as_ptr().cast(), self.out.at(0).cast());
            program.call(|_, error| ml_detect(bytes, size, &raw mut found, version, 32, error));
            self.out.finish(32);
        }
    }

    unsafe fn decode(&mut self, program: &mut Program<'_>) {
        // SAFETY: the arguments fulfill the requirements of the header.
        unsafe {
            let (file, array) = (self.file(program), program.index());
            let opts = ml_decode_opts {
                size: 0,
                first: program.index(),
                count: program.index(),
                offset: program.index(),
                stride: program.size(64),
            };
            let at = program.index().min(8);
            let size = program.size(ROOM - 8);
            let out = self.out.at(at);
            program.call(|_, error| ml_decode(file, array, &raw const opts, out, size, error));
            self.out.finish(at.saturating_add(size));
            let (out, mut count, mut largest) = (self.out.at(0).cast(), 0, 0);
            program.call(|program, error| {
                count = program.size(ROOM / 4);
                ml_decode_indices(file, array, out, count, &raw mut largest, error)
            });
            self.out.finish(count.saturating_mul(4));
        }
    }

    unsafe fn pose(&mut self, program: &mut Program<'_>) {
        // SAFETY: the arguments fulfill the requirements of the header.
        unsafe {
            let (file, clip, time) = (self.file(program), program.index(), program.float());
            let mut model: ml_model = zeroed();
            ml_get_model(file, &raw mut model, null_mut());
            let count = if program.chance(4) { program.size(64) } else { model.joint_count.min(256) };
            let mut pose = vec![zeroed::<ml_transform>(); count];
            let mut world = vec![ml_matrix { m: [0.0; 16] }; count];
            let (pose, world) = (pose.as_mut_ptr(), world.as_mut_ptr());
            program.call(|_, error| ml_get_pose(file, clip, time, pose, count, error));
            program.call(|_, error| ml_get_world_matrices(file, pose, world, count, error));
        }
    }

    unsafe fn validate(&mut self, program: &mut Program<'_>) {
        // SAFETY: the arguments fulfill the requirements of the header.
        unsafe {
            let (file, most) = (self.file(program), program.index());
            let mut report = null_mut();
            program.call(|_, error| ml_validate(file, most, &raw mut report, error));
            if !report.is_null() {
                if self.reports.len() >= 2 {
                    assert_eq!(ml_close_report(self.reports.remove(0)), ML_OK);
                }
                self.reports.push(report);
            }
        }
    }

    unsafe fn export(&mut self, program: &mut Program<'_>) {
        // SAFETY: the arguments fulfill the requirements of the header.
        unsafe {
            let mut opts: ml_glb_opts = zeroed();
            opts.frames = program.number() % 5;
            opts.flags = u32::from(program.byte() % 64);
            opts.first_frame = program.index();
            opts.last_frame = program.index();
            opts.rest_frame = program.index();
            opts.scale = program.float();
            opts.clip = c"all".as_ptr();
            let mut left: usize = program.size(1 << 16);
            let (file, user) = (self.file(program), (&raw mut left).cast());
            program
                .call(|_, error| ml_write_glb(file, &raw const opts, Some(write), user, null_mut(), error));
        }
    }
}
