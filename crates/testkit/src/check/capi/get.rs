//! Calls of getters.

/// Calls a getter that fills a struct. The struct is zeroed, has an invalid size, is misaligned or NULL.
macro_rules! get {
    ($program:ident, $struct:ty, |$to:ident, $error:ident| $call:expr) => {{
        // SAFETY: plain numbers and pointers.
        let mut value: std::mem::MaybeUninit<[$struct; 2]> = std::mem::MaybeUninit::zeroed();
        let start: *mut $struct = value.as_mut_ptr().cast();
        let $to: *mut $struct = match $program.byte() {
            255 => std::ptr::null_mut(),
            254 => start.cast::<u8>().wrapping_add(1).cast(),
            253 => {
                start.cast::<usize>().write_unaligned(3);
                start
            }
            _ => start,
        };
        $program.call(|_, $error| $call);
    }};
}

pub(super) use get;
