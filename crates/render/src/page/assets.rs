//! The files that pages load, inside the program.

const HTMX: &[u8] = include_bytes!("../../assets/htmx.min.js");
const SCRIPT: &[u8] = include_bytes!("../../assets/page.js");
const STYLE: &[u8] = include_bytes!("../../assets/page.css");
const ICON: &[u8] = include_bytes!("../../assets/icon.svg");

/// Content type and bytes of `/assets/NAME`, or `None` if there is no such file.
pub fn asset(name: &str) -> Option<(&'static str, &'static [u8])> {
    match name {
        "htmx.min.js" => Some(("text/javascript; charset=utf-8", HTMX)),
        "page.js" => Some(("text/javascript; charset=utf-8", SCRIPT)),
        "page.css" => Some(("text/css; charset=utf-8", STYLE)),
        "icon.svg" => Some(("image/svg+xml", ICON)),
        _ => None,
    }
}
