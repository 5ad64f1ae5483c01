//! The parts of an address and of a form, without their percent signs.

/// Names and values in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// Of a query or of a form. Nothing if something in it is no UTF-8.
    pub fn parse(text: &str) -> Option<Fields> {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let plain = |part: &str| decoded(&part.replace('+', " "));
            Some((plain(name)?, plain(value)?))
        };
        pairs.map(pair).collect::<Option<Vec<_>>>().map(Fields)
    }

    /// The last value of this name, unless it is empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        let named = self.0.iter().filter(|(known, _)| known == name);
        named.map(|(_, value)| value.as_str()).rfind(|value| !value.is_empty())
    }

    /// Every value of this name that is not empty.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.0.iter().filter(move |(known, _)| known == name);
        named.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

/// The segments of a path. They are taken apart first: an id may have slashes of its own.
pub fn segments(path: &str) -> Option<Vec<String>> {
    path.strip_prefix('/')?.split('/').map(decoded).collect()
}

/// Without percent signs; nothing if it is no UTF-8 or a sign stands for nothing.
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read() {
        let fields = Fields::parse("text=a+b%26c&state=stable&state=&state=candidate&x").unwrap();
        assert_eq!(fields.get("text"), Some("a b&c"));
        assert_eq!(fields.all("state").collect::<Vec<_>>(), ["stable", "candidate"]);
        assert_eq!((fields.get("x"), fields.get("y")), (None, None));
        for bad in ["a=%", "a=%4", "a=%zz", "%ff=a"] {
            assert_eq!(Fields::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_slash_in_an_id_divides_nothing() {
        assert_eq!(segments("/runs/ci%2F12"), Some(vec!["runs".into(), "ci/12".into()]));
        assert_eq!(segments("/"), Some(vec![String::new()]));
        assert_eq!(segments("*"), None);
        assert_eq!(segments("/%c3%28"), None);
    }
}
