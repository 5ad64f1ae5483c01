//! Calls that are being answered. After a fault the conversation goes on with a new program in the
//! place of this one, since a client starts its servers once; that one tells them. This one still
//! reads what comes: whoever had its answer could say the next thing, which would be lost.

use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use serde_json::json;

use super::result;
use super::trouble::Trouble;

/// Who waits for an answer.
#[derive(Clone, Debug, Default)]
pub struct Owed(Arc<Mutex<Vec<RequestId>>>);

impl Owed {
    /// As [`to_text`](Self::to_text) wrote it.
    pub fn of_text(text: &str) -> Option<Self> {
        let ids: Vec<RequestId> = serde_json::from_str(text).ok()?;
        Some(Owed(Arc::new(Mutex::new(ids))))
    }

    /// For the program that goes on.
    pub fn to_text(&self) -> String {
        json!(*self.ids()).to_string()
    }

    /// As long as what comes back lives, this call is being answered.
    pub fn answer(&self, call: RequestId) -> Answering {
        self.ids().push(call.clone());
        Answering { owed: self.clone(), call }
    }

    fn ids(&self) -> MutexGuard<'_, Vec<RequestId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells all who wait that nothing comes. What cannot be written is nobody's any more.
    pub fn give_up(&self, mut to: impl Write) {
        let told = result(Err(Trouble::fault()));
        for id in self.ids().drain(..) {
            let _ = writeln!(to, "{}", json!({ "jsonrpc": "2.0", "id": id, "result": told }));
        }
        let _ = to.flush();
    }
}

pub struct Answering {
    owed: Owed,
    call: RequestId,
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.owed.ids().retain(|id| *id != self.call);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn only_who_waits_is_told() {
        let owed = Owed::default();
        drop(owed.answer(RequestId::Number(1)));
        let _waits = owed.answer(RequestId::Number(2));
        let mut said = Vec::new();
        Owed::of_text(&owed.to_text()).unwrap().give_up(&mut said);
        let said: Value = serde_json::from_slice(&said).unwrap();
        assert_eq!((&said["id"], &said["result"]["isError"]), (&json!(2), &json!(true)));
    }
}
