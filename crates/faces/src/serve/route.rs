//! What can be asked: one table of routes. The server, the description for programs and the tests
//! read the same rows.

use axum::http::{HeaderMap, Method, StatusCode};
use hardwon_engine::answer::Answer;
use hardwon_engine::people::Role;
use hardwon_engine::{Access, Call, EngineError, Memory};
use hardwon_render::json;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::body::{Limits, Taken};
use super::desk::Lent;
use super::door::{Guest, Via};
use super::fields::Fields;
use super::house::House;
use super::keys::is_same;
use super::trouble::Trouble;
use crate::hands::Hand;

/// Rows of one answer, at most.
const MAX_ROWS: usize = 1000;

/// One row.
pub struct Route {
    pub method: Method,
    /// Segments; `{}` stands for any one.
    pub path: &'static str,
    pub takes: Takes,
    /// What a member of a team has to be.
    pub needs: Role,
    /// What it is for, in a line; empty for pages.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the description, which a test makes"))]
    pub about: &'static str,
    /// Names of the parameters in its query, besides `project`. Pages take whatever comes.
    pub query: &'static [&'static str],
    /// The name of its body's type.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the description, which a test makes"))]
    pub body: Option<&'static str>,
    /// The name of its answer's schema.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the description, which a test makes"))]
    pub answer: &'static str,
    pub handle: fn(&mut Ask<'_>) -> Answered,
}

impl Route {
    /// A row of which nothing is told but what it takes.
    pub fn of(
        method: Method,
        path: &'static str,
        takes: Takes,
        handle: fn(&mut Ask<'_>) -> Answered,
    ) -> Route {
        let needs = Role::Reader;
        Route { method, path, takes, needs, about: "", query: &[], body: None, answer: "", handle }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// A form of one of our pages, which hands back its token.
    Form,
    Json,
    /// A record, which may be long.
    Record,
}

impl Takes {
    pub fn limits(self) -> Limits {
        match self {
            Takes::Nothing => Limits::NONE,
            Takes::Form | Takes::Json => Limits::SHORT,
            Takes::Record => Limits::RECORD,
        }
    }
}

/// One request of somebody who is in.
pub struct Ask<'a> {
    pub hand: &'a Hand,
    pub house: &'a House,
    pub guest: &'a Guest,
    /// What stands for `{}` in the path.
    pub ids: Vec<String>,
    pub query: Fields,
    pub headers: HeaderMap,
    pub body: Taken,
}

/// What is answered.
#[derive(Debug)]
pub enum Reply {
    Json {
        status: StatusCode,
        value: Value,
        etag: Option<String>,
    },
    Html(String),
    /// Look there now.
    See(String),
}

/// What a row comes to.
pub type Answered = Result<Reply, Trouble>;

impl Reply {
    pub fn json(value: Value) -> Answered {
        Ok(Reply::Json { status: StatusCode::OK, value, etag: None })
    }
}

impl<'a> Ask<'a> {
    pub fn id(&self) -> &str {
        self.ids.first().map_or("", String::as_str)
    }

    pub fn reader(&self) -> Result<Lent<'a>, Trouble> {
        self.lend(Access::Read, self.query.get("project"))
    }

    pub fn writer(&self) -> Result<Lent<'a>, Trouble> {
        self.lend(Access::Write, self.query.get("project"))
    }

    /// What a use case answers that only looks.
    pub fn reads<T: Serialize>(
        &self,
        case: impl FnOnce(&Memory, &Call) -> Result<Answer<T>, EngineError>,
    ) -> Answered {
        let open = self.reader()?;
        Reply::json(json::answer(&case(open.memory(), &open.call)?))
    }

    /// What a use case answers that may write.
    pub fn writes<T: Serialize>(
        &self,
        case: impl FnOnce(&mut Memory, &Call) -> Result<Answer<T>, EngineError>,
    ) -> Answered {
        let mut open = self.writer()?;
        let (memory, call) = open.parts();
        Reply::json(json::answer(&case(memory, call)?))
    }

    pub fn lend(&self, access: Access, project: Option<&str>) -> Result<Lent<'a>, Trouble> {
        self.house.desk.lend(self.hand, self.guest, project, access)
    }

    /// A parameter that has to be of a kind.
    pub fn parsed<T>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Trouble> {
        let Some(given) = self.query.get(name) else { return Ok(None) };
        let wrong = || Trouble::wrong(format!("`{name}` has a value that is not known"));
        parse(given).map(Some).ok_or_else(wrong)
    }

    /// How many rows a page has, between one and a thousand.
    pub fn limit(&self, usual: usize) -> Result<usize, Trouble> {
        let asked = self.parsed("limit", |text| text.parse().ok())?.unwrap_or(usual);
        let is_fine = (1..=MAX_ROWS).contains(&asked);
        is_fine
            .then_some(asked)
            .ok_or_else(|| Trouble::wrong(format!("`limit` is a number between 1 and {MAX_ROWS}")))
    }

    /// The body as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Trouble> {
        // A list would be read as fields in their order.
        let fields: serde_json::Map<String, Value> = serde_json::from_slice(&self.body.bytes)
            .map_err(|error| Trouble::wrong(format!("the body is not an object: {error}")))?;
        serde_json::from_value(Value::Object(fields))
            .map_err(|error| Trouble::wrong(format!("wrong body: {error}")))
    }

    /// The body as a form of ours: only with the token that its page had.
    pub fn form(&self) -> Result<Fields, Trouble> {
        let text = std::str::from_utf8(&self.body.bytes).ok();
        let form = text.and_then(Fields::parse).ok_or_else(|| Trouble::wrong("not a form"))?;
        let is_ours = form.get("csrf").is_some_and(|given| is_same(given, &self.guest.csrf));
        if self.guest.via != Via::Page || !is_ours {
            let hint = "load the page again and repeat it";
            let message = "this form is not from a page of this session";
            return Err(Trouble::new(StatusCode::FORBIDDEN, message, hint));
        }
        Ok(form)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A word of ours.
pub fn known<T>(
    given: &str,
    what: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Trouble> {
    parse(given).ok_or_else(|| Trouble::wrong(format!("not {what} that is known")))
}

/// The same, if anything was said.
pub fn word<T>(
    given: Option<String>,
    what: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, Trouble> {
    given.map(|given| known(&given, what, parse)).transpose()
}

/// The row for a request: the ids in its path, or which methods the path has.
pub fn find<'t>(
    table: &'t [Route],
    method: &Method,
    path: &[String],
) -> Result<(&'t Route, Vec<String>), Vec<Method>> {
    let mut methods = Vec::new();
    for route in table {
        let Some(ids) = ids(route.path, path) else { continue };
        let is_head = *method == Method::HEAD && route.method == Method::GET;
        if route.method == *method || is_head {
            return Ok((route, ids));
        }
        methods.push(route.method.clone());
    }
    Err(methods)
}

fn ids(pattern: &str, path: &[String]) -> Option<Vec<String>> {
    let pattern: Vec<&str> = pattern.trim_start_matches('/').split('/').collect();
    if pattern.len() != path.len() {
        return None;
    }
    let mut ids = Vec::new();
    for (expected, given) in pattern.iter().zip(path) {
        match *expected {
            "{}" if !given.is_empty() => ids.push(given.clone()),
            fixed if fixed == given => {}
            _ => return None,
        }
    }
    Some(ids)
}
