pub fn version_tag(lesson: &hardwon_engine::lesson::Lesson) -> String {
    hardwon_engine::digest(format!("{lesson:?}").as_bytes())
}
