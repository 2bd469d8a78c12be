//! Steps are counted for each thread.

use meshlens_wire::steps;

#[test]
fn each_thread_counts_its_own_steps() {
    let before = steps::taken();
    steps::count(3);
    std::thread::spawn(|| steps::count(5)).join().unwrap();
    assert_eq!(steps::taken() - before, 3);
}
