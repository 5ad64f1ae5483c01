//! In which order is the disk asked for what? What a power cut leaves depends on it, so tests look.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::RefCell<Vec<&'static str>> =
        const { std::cell::RefCell::new(Vec::new()) };
}

#[cfg(test)]
pub(crate) fn note(step: &'static str) {
    STEPS.with_borrow_mut(|steps| steps.push(step));
}

#[cfg(not(test))]
pub(crate) fn note(_step: &'static str) {}

/// What was noted in this thread since the last call.
#[cfg(test)]
pub(crate) fn take() -> Vec<&'static str> {
    STEPS.take()
}
