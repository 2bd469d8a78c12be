//! A second static library in Rust, for a program that links it together with meshlens.

/// The sum of the numbers below `count`. If there are none, the function panics, catches the panic, and returns 7.
#[unsafe(no_mangle)]
pub extern "C" fn other_sum(count: u32) -> u32 {
    let sum = std::panic::catch_unwind(|| {
        let numbers: Vec<u32> = (0..count).collect();
        assert!(!numbers.is_empty(), "no numbers");
        numbers.iter().sum()
    });
    sum.unwrap_or(7)
}
