// What does starting any program cost here? Everything else is compared with this.
fn main() {}
