//! Reading a row cell by cell, in the order of its column list. What is not as this
//! program wrote it (an unknown word, broken JSON) is a conversion failure, which the
//! caller gets as a damaged store.

use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::text::Text;
use hardwon_core::time::Timestamp;
use rusqlite::types::{FromSql, Type};
use rusqlite::{Error, Result, Row};
use serde::de::DeserializeOwned;

pub(super) struct Cells<'a> {
    row: &'a Row<'a>,
    next: usize,
}

impl<'a> Cells<'a> {
    pub(super) fn new(row: &'a Row<'a>) -> Self {
        Cells { row, next: 0 }
    }

    pub(super) fn get<T: FromSql>(&mut self) -> Result<T> {
        let at = self.at();
        self.row.get(at)
    }

    /// A word of a closed list.
    pub(super) fn word<T>(&mut self, from_word: fn(&str) -> Option<T>) -> Result<T> {
        self.maybe_word(from_word)?.ok_or_else(|| self.strange("a word is missing"))
    }

    pub(super) fn maybe_word<T>(&mut self, from_word: fn(&str) -> Option<T>) -> Result<Option<T>> {
        let at = self.at();
        let Some(word) = self.row.get_ref(at)?.as_str_or_null()? else { return Ok(None) };
        from_word(word).map(Some).ok_or_else(|| self.strange("an unknown word"))
    }

    pub(super) fn json<T: DeserializeOwned>(&mut self) -> Result<T> {
        let at = self.at();
        let text = self.row.get_ref(at)?.as_str()?;
        serde_json::from_str(text).map_err(|_| self.strange("broken JSON"))
    }

    /// A value that is mostly as it begins: then its JSON is compared, not parsed.
    pub(super) fn json_mostly<T: DeserializeOwned + Default>(&mut self, usual: &str) -> Result<T> {
        if self.row.get_ref(self.next)?.as_str()? == usual {
            self.next += 1;
            return Ok(T::default());
        }
        self.json()
    }

    pub(super) fn run_id(&mut self) -> Result<RunId> {
        self.maybe_run_id()?.ok_or_else(|| self.strange("a run id is missing"))
    }

    pub(super) fn maybe_run_id(&mut self) -> Result<Option<RunId>> {
        let at = self.at();
        let Some(id) = self.row.get_ref(at)?.as_str_or_null()? else { return Ok(None) };
        RunId::parse(id).map(Some).map_err(|reason| self.strange(reason))
    }

    pub(super) fn lesson_id(&mut self) -> Result<LessonId> {
        let at = self.at();
        Ok(LessonId::given(self.row.get_ref(at)?.as_str()?))
    }

    pub(super) fn time(&mut self) -> Result<Timestamp> {
        self.get().map(Timestamp)
    }

    pub(super) fn maybe_time(&mut self) -> Result<Option<Timestamp>> {
        Ok(self.get::<Option<i64>>()?.map(Timestamp))
    }

    pub(super) fn count(&mut self) -> Result<u64> {
        let number: i64 = self.get()?;
        u64::try_from(number).map_err(|_| self.strange("a negative count"))
    }

    /// A text and its body. A body without the digest in the id was edited in the file: it is
    /// never shown, and the check reports it.
    pub(super) fn text(&mut self) -> Result<Text> {
        self.maybe_text()?.ok_or_else(|| self.strange("a text is missing"))
    }

    pub(super) fn maybe_text(&mut self) -> Result<Option<Text>> {
        let (id, body) = (self.at(), self.at());
        let Some(id) = self.row.get_ref(id)?.as_str_or_null()? else { return Ok(None) };
        let mut text = Text::unfilled(id);
        if let Some(body) = self.row.get_ref(body)?.as_str_or_null()? {
            text.fill(body);
        }
        Ok(Some(text))
    }

    fn at(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// The last cell is not as it was written. Names the column, never the content.
    fn strange(&self, reason: &'static str) -> Error {
        let at = self.next - 1;
        Error::FromSqlConversionFailure(at, Type::Text, reason.into())
    }
}

/// A list or set as JSON.
pub(super) fn to_json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("plain lists and maps of text can be written as JSON")
}
