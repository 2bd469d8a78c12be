//! Maps that survive their file being cut short.
//!
//! Touching a page of a map that its file no longer has raises `SIGBUS`, which kills the process. A [`Guard`] names a
//! range of addresses in which that must not happen: the handler puts zeros there instead and marks the guard, and
//! the reader asks the guard when it is done. Faults outside every guarded range go to whoever handled them before.

#![cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]

use std::ops::Range;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use libc::{c_int, c_void, sigaction, siginfo_t};

/// One guarded range. Nodes are never freed, so that the handler may walk them at any time; they are used again.
struct Node {
    claimed: AtomicBool,
    /// Zero while nothing is guarded.
    start: AtomicUsize,
    end: AtomicUsize,
    broken: AtomicBool,
    next: Option<&'static Node>,
}

static NODES: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());

fn nodes() -> impl Iterator<Item = &'static Node> {
    // SAFETY: the pointer is null or came from `Box::leak`, so it is valid forever, and a node is not changed behind
    // a shared reference except through its atomics.
    let first = unsafe { NODES.load(Ordering::Acquire).as_ref() };
    std::iter::successors(first, |node| node.next)
}

/// Keeps a range of addresses from killing the process, until it is dropped.
pub(crate) struct Guard {
    node: &'static Node,
}

impl Guard {
    /// Guards `range`, or gives `None` where the system has no such signals to handle.
    ///
    /// # Safety
    ///
    /// The range is a private or shared read-only map that starts at a page and belongs to the caller for as long as
    /// the guard lives: the handler may replace its pages.
    pub(crate) unsafe fn new(range: Range<usize>) -> Option<Guard> {
        install()?;
        let free = |node: &&Node| {
            node.claimed.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let node = nodes().find(free).unwrap_or_else(add_node);
        node.broken.store(false, Ordering::Relaxed);
        node.end.store(range.end, Ordering::Relaxed);
        node.start.store(range.start, Ordering::Release);
        Some(Guard { node })
    }

    /// Whether some page could not be had, and reads as zeros.
    pub(crate) fn is_broken(&self) -> bool {
        self.node.broken.load(Ordering::Acquire)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.node.start.store(0, Ordering::Release);
        self.node.claimed.store(false, Ordering::Release);
    }
}

/// A new node, claimed, at the head of the list.
fn add_node() -> &'static Node {
    let mut head = NODES.load(Ordering::Acquire);
    let mut node = Box::new(Node {
        claimed: AtomicBool::new(true),
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        broken: AtomicBool::new(false),
        next: None,
    });
    loop {
        // SAFETY: as in `nodes`.
        node.next = unsafe { head.as_ref() };
        let raw = Box::into_raw(node);
        match NODES.compare_exchange(head, raw, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: the pointer came from a box that is never made again, so the node lives forever.
            Ok(_) => return unsafe { &*raw },
            Err(found) => {
                head = found;
                // SAFETY: the exchange failed, so nobody else has seen the pointer.
                node = unsafe { Box::from_raw(raw) };
            }
        }
    }
}

/// What the handler needs to know, made before it is installed.
struct Installed {
    previous: sigaction,
    page: usize,
}

static INSTALLED: OnceLock<Option<Installed>> = OnceLock::new();

/// Installs the handler, once in a process.
fn install() -> Option<()> {
    let installed = INSTALLED.get_or_init(|| {
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
        // SAFETY: all zeros is a valid `sigaction`, which the call fills.
        let mut previous: sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: reads the action in force into a place of our own.
        let read = unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &mut previous) };
        (read == 0 && page.is_power_of_two()).then_some(Installed { previous, page })
    });
    installed.as_ref()?;
    // The handler may run as soon as it is installed, so the above has to be in place first.
    static DONE: OnceLock<bool> = OnceLock::new();
    let done = DONE.get_or_init(|| {
        // SAFETY: all zeros is a valid `sigaction` with an empty mask.
        let mut action: sigaction = unsafe { std::mem::zeroed() };
        let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = on_bus_error;
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the handler has the signature that SA_SIGINFO asks for, and only calls what signal-safety(7) allows.
        unsafe { libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) == 0 }
    });
    done.then_some(())
}

/// Only atomics and system calls from here on: the handler may interrupt anything.
extern "C" fn on_bus_error(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let Some(Some(installed)) = INSTALLED.get() else { return };
    // SAFETY: the system gives a valid `siginfo_t`, and SIGBUS has an address in it.
    let (address, code) = unsafe { ((*info).si_addr() as usize, (*info).si_code) };
    // A code of zero or less is a signal that somebody sent, whose address means nothing.
    if code > 0 && fill(address, installed.page) {
        return;
    }
    hand_on(&installed.previous, signal, code, info, context);
}

/// Puts zeros from the page of `address` to the end of the guarded range it lies in, if there is one.
fn fill(address: usize, page: usize) -> bool {
    for node in nodes() {
        let start = node.start.load(Ordering::Acquire);
        let end = node.end.load(Ordering::Relaxed);
        if start == 0 || address < start || address >= end {
            continue;
        }
        let from = address & !(page - 1);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // SAFETY: the pages lie in a map that the guard's owner lets us replace, read-only before and after.
        let mapped = unsafe { libc::mmap(from as *mut c_void, end - from, libc::PROT_READ, flags, -1, 0) };
        if mapped == libc::MAP_FAILED {
            return false;
        }
        node.broken.store(true, Ordering::Release);
        return true;
    }
    false
}

/// Does what would have been done without us.
fn hand_on(previous: &sigaction, signal: c_int, code: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let handler = previous.sa_sigaction;
    if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
        // SAFETY: restores the action; a fault happens again as soon as this handler returns, and meets it then.
        unsafe { libc::sigaction(signal, previous, ptr::null_mut()) };
        if code <= 0 {
            // SAFETY: a signal that was sent does not happen again by itself. It is delivered after we return.
            unsafe { libc::raise(signal) };
        }
    } else if previous.sa_flags & libc::SA_SIGINFO != 0 {
        // SAFETY: with SA_SIGINFO, whoever installed it gave the address of such a function.
        let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
            unsafe { std::mem::transmute(handler) };
        handler(signal, info, context);
    } else {
        // SAFETY: without it, of such a one.
        let handler: extern "C" fn(c_int) = unsafe { std::mem::transmute(handler) };
        handler(signal);
    }
}
