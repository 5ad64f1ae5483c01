//! Answers as HTTP has them.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};

use super::house::House;
use super::keys::COOKIE_LIVES;

/// To the overview, with a cookie; one for machines far away is never sent in the clear.
pub fn let_in(house: &House, cookie: &str, is_secure: bool) -> Response {
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie = format!(
        "{}={cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age={}{secure}",
        house.names.cookie(),
        COOKIE_LIVES.as_secs()
    );
    let mut response = Redirect::to("/").into_response();
    // The code stands in the address that leads here.
    let none = HeaderValue::from_static("no-referrer");
    response.headers_mut().insert(header::REFERRER_POLICY, none);
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

pub fn html(status: StatusCode, page: String) -> Response {
    with_type(status, "text/html; charset=utf-8", page)
}

pub fn with_type(status: StatusCode, kind: &'static str, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, kind)], text).into_response()
}
