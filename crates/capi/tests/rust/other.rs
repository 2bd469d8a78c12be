//! A second static library of Rust, for a program that links it beside meshlens.

/// The sum of the numbers below `count`; 7 if there are none, by a panic.
#[unsafe(no_mangle)]
pub extern "C" fn other_sum(count: u32) -> u32 {
    let sum = std::panic::catch_unwind(|| {
        let numbers: Vec<u32> = (0..count).collect();
        assert!(!numbers.is_empty(), "no numbers");
        numbers.iter().sum()
    });
    sum.unwrap_or(7)
}
