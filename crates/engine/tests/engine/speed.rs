use std::time::Instant;

use crate::support::{Builder, Machine, text};

/// The limit is generous, so that a slow machine passes, but quadratic growth does not.
#[test]
fn thousands_of_resources_in_place_take_little_time() {
    let machine = Machine::new();
    let mut builder = Builder::default();
    builder.add("File", "/d", &[("ensure", text("directory"))]);
    for i in 0..2000 {
        machine.write(&format!("/d/{i}"), "x\n");
        builder.add("File", &format!("/d/{i}"), &[("content", text("x\n"))]);
    }
    let start = Instant::now();
    machine.assert_settled(&builder.graph, 0);
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}
