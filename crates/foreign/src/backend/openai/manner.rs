//! What does a server of chat completions understand? It says so by what it does not.

/// Its own address, where the newest form of a request is understood.
const OWN_HOST: &str = "api.openai.com";

/// How the shape of an answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Schema,
    Object,
    Words,
}

/// What the limit of an answer is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    Old,
    New,
}

impl Limit {
    pub(super) fn name(self) -> &'static str {
        match self {
            Limit::Old => "max_tokens",
            Limit::New => "max_completion_tokens",
        }
    }

    fn other(self) -> Limit {
        match self {
            Limit::Old => Limit::New,
            Limit::New => Limit::Old,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Manner {
    pub form: Form,
    pub limit: Limit,
    /// Whether the limit had the other name before.
    is_switched: bool,
    /// Whether the schema stands in the words as well: some servers take the field and do
    /// nothing with it.
    pub has_words: bool,
}

impl Manner {
    /// What is tried first.
    pub(super) fn first(host: &str) -> Self {
        let is_own = host == OWN_HOST;
        let limit = if is_own { Limit::New } else { Limit::Old };
        Manner { form: Form::Schema, limit, is_switched: false, has_words: !is_own }
    }

    /// What is tried after a complaint; `None` if it is about something else.
    pub(super) fn after(self, complaint: &str) -> Option<Self> {
        let complaint = complaint.to_ascii_lowercase();
        if complaint.contains(self.limit.name()) && !self.is_switched {
            return Some(Manner { limit: self.limit.other(), is_switched: true, ..self });
        }
        let signs = ["response_format", "json_schema", "json_object", "structured output"];
        let form = match self.form {
            Form::Schema => Form::Object,
            Form::Object => Form::Words,
            Form::Words => return None,
        };
        let is_meant = signs.iter().any(|sign| complaint.contains(sign));
        is_meant.then_some(Manner { form, has_words: true, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_complaint_has_its_next_try() {
        let own = Manner::first(OWN_HOST);
        assert_eq!((own.form, own.limit, own.has_words), (Form::Schema, Limit::New, false));
        let object = own.after("Invalid schema for response_format 'x'").expect("another try");
        assert_eq!((object.form, object.limit, object.has_words), (Form::Object, Limit::New, true));
        let words = object.after("'response_format' is not supported").expect("another try");
        assert_eq!(words.form, Form::Words);
        assert_eq!(words.after("response_format"), None);
        assert_eq!(own.after("the context is too long"), None);

        let other = Manner::first("localhost");
        assert_eq!((other.limit, other.has_words), (Limit::Old, true));
        let new = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
        let switched = other.after(new).expect("another try");
        assert_eq!((switched.form, switched.limit), (Form::Schema, Limit::New));
        assert_eq!(switched.after(new), None);
    }
}
