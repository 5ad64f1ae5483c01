//! A connection as the store uses it: calls wait for their answer, but never without an end, and what
//! does not depend on an answer is sent before the answer is there.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use futures_util::TryStreamExt;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::tls::TlsStream;
use tokio_postgres::{Config, Connection, Error, NoTls, Row, SimpleQueryMessage, Socket};

use super::encrypted::Encrypted;
use super::trouble::{Tried, Trouble};
use crate::cell;

/// A statement with its values.
pub(super) type Statement = (String, Vec<cell::Cell>);

/// Who asks for no more than this is no one for whom the server should keep plans: a command or a hook.
const N_OF_PASSERS_BY: u32 = 24;

/// A connection. What is asked of it is answered one after the other.
pub(super) struct Client {
    waiting: Waiting,
    client: tokio_postgres::Client,
    /// How long the server may say nothing.
    patience: Option<Duration>,
    /// Whether who is connected owns the tables, once that was asked.
    is_owner: Cell<Option<bool>>,
    /// Parts of the tables that rows of projects lie in, as far as that was asked.
    parts: RefCell<BTreeMap<String, i64>>,
    /// The version of the tables, when they were looked at; 0 for who has not looked.
    version: i64,
    /// Whether the server has the reads with a name.
    has_routines: bool,
    /// Transactions so far.
    n_begun: u32,
}

/// Runs only while somebody waits. Whoever lets go of it waits for nothing: not for somebody who looks
/// up the name of a host and cannot be interrupted, and on no thread that must not wait.
struct Waiting(Option<Runtime>);

impl Waiting {
    fn until<T>(&self, answer: impl Future<Output = T>) -> T {
        self.0.as_ref().expect("only drop takes it").block_on(answer)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Client {
    /// Connects, or gives up after so long.
    pub(super) fn connect(
        config: &Config,
        encrypted: Option<&Encrypted>,
        limit: Duration,
    ) -> Tried<Self> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build();
        let runtime =
            runtime.map_err(|_| Trouble::Refused("this process can open no more files"))?;
        let waiting = Waiting(Some(runtime));
        let connecting = async {
            match encrypted {
                None => config.connect(NoTls).await.map(spawned),
                Some(encrypted) => config.connect(encrypted.clone()).await.map(spawned),
            }
        };
        match waiting.until(async { timeout(limit, connecting).await }) {
            Ok(Ok(client)) => Ok(Client {
                waiting,
                client,
                patience: Some(limit),
                is_owner: Cell::default(),
                parts: RefCell::default(),
                version: 0,
                has_routines: false,
                n_begun: 0,
            }),
            Ok(Err(error)) => Err(Trouble::Sql(error)),
            Err(_) => Err(Trouble::Silent),
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Tells it of which version the tables are, and whether they come with the reads that have a name.
    pub(super) fn set_version(&mut self, version: i64, has_routines: bool) {
        self.version = version;
        self.has_routines = has_routines;
    }

    /// The version of the tables when they were looked at.
    pub(super) fn version(&self) -> i64 {
        self.version
    }

    /// Counts one more transaction; whether there were enough to call reads by their names.
    pub(super) fn begins(&mut self) -> bool {
        self.n_begun = self.n_begun.saturating_add(1);
        self.has_routines && self.n_begun > N_OF_PASSERS_BY
    }

    /// How long the server may say nothing from here on: it may be busy with what was asked. None: as
    /// long as it takes.
    pub(super) fn set_patience(&mut self, patience: Option<Duration>) {
        self.patience = patience;
    }

    /// What `ask` says the first time: whether who is connected owns the tables.
    pub(super) fn is_owner(&self, ask: impl FnOnce() -> Tried<bool>) -> Tried<bool> {
        if self.is_owner.get().is_none() {
            self.is_owner.set(Some(ask()?));
        }
        Ok(self.is_owner.get().unwrap_or(false))
    }

    /// What `ask` says the first time: in which parts of the tables rows of a project lie.
    pub(super) fn part_of(&self, project: &str, ask: impl FnOnce() -> Tried<i64>) -> Tried<i64> {
        let known = self.parts.borrow().get(project).copied();
        if let Some(part) = known {
            return Ok(part);
        }
        let part = ask()?;
        self.parts.borrow_mut().insert(project.to_owned(), part);
        Ok(part)
    }

    /// Runs statements without values, all in one message.
    pub(super) fn batch(&self, sql: &str) -> Tried<()> {
        self.waiting.until(self.heard(self.client.batch_execute(sql)))
    }

    /// The same for one that gives rows.
    pub(super) fn simple(&self, sql: &str) -> Tried<Vec<SimpleQueryMessage>> {
        self.waiting.until(self.heard(self.client.simple_query(sql)))
    }

    /// Rows of a statement.
    pub(super) fn all(&self, sql: &str, params: &[cell::Cell]) -> Tried<Vec<Row>> {
        self.waiting.until(self.rows(sql, params))
    }

    /// Runs statements without values, then others, then again some without values, all on their way
    /// before the first is answered. Of those that fail the first is told.
    pub(super) fn all_of(
        &self,
        before: &str,
        statements: &[Statement],
        after: &str,
    ) -> Tried<Vec<Vec<Row>>> {
        type Sent<'a> = Pin<Box<dyn Future<Output = Tried<Vec<Row>>> + 'a>>;
        let plain = |sql: &'_ str| -> Option<Sent<'_>> {
            let sql = (!sql.is_empty()).then(|| sql.to_owned())?;
            let sent = async move { self.heard(self.client.batch_execute(&sql)).await };
            Some(Box::pin(async { sent.await.map(|()| Vec::new()) }))
        };
        let (before, after) = (plain(before), plain(after));
        let n_before = usize::from(before.is_some());
        let asked =
            statements.iter().map(|(sql, params)| -> Sent<'_> { Box::pin(self.rows(sql, params)) });
        let sent = before.into_iter().chain(asked).chain(after).collect();
        let answers = self.waiting.until(in_order(sent));
        let mut answers = answers.into_iter().collect::<Tried<Vec<_>>>()?.split_off(n_before);
        answers.truncate(statements.len());
        Ok(answers)
    }

    /// Sends statements without values and does not wait for the answer: it comes before the next.
    pub(super) fn send(&self, sql: &str) {
        self.waiting.until(async {
            let mut sent = pin!(self.client.batch_execute(sql));
            poll_fn(|context| {
                let _ = sent.as_mut().poll(context);
                Poll::Ready(())
            })
            .await;
            // Meanwhile it goes out.
            tokio::task::yield_now().await;
        });
    }

    async fn rows(&self, sql: &str, params: &[cell::Cell]) -> Tried<Vec<Row>> {
        let params = params.iter().map(cell::Cell::param);
        let mut answer = pin!(self.heard(self.client.query_typed_raw(sql, params)).await?);
        let mut rows = Vec::new();
        while let Some(row) = self.heard(answer.try_next()).await? {
            rows.push(row);
        }
        Ok(rows)
    }

    async fn heard<T>(&self, answer: impl Future<Output = Result<T, Error>>) -> Tried<T> {
        let answered = match self.patience {
            None => answer.await,
            Some(patience) => timeout(patience, answer).await.map_err(|_| Trouble::Silent)?,
        };
        answered.map_err(Trouble::Sql)
    }
}

/// Lets each begin after the one before has begun, which is when it is sent, and waits for all.
async fn in_order<T, F: Future<Output = T> + Unpin>(mut sent: Vec<F>) -> Vec<T> {
    let mut answers: Vec<Option<T>> = sent.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (sent, answer) in sent.iter_mut().zip(&mut answers).filter(|(_, it)| it.is_none()) {
            if let Poll::Ready(done) = Pin::new(sent).poll(context) {
                *answer = Some(done);
            }
        }
        if answers.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    answers.into_iter().flatten().collect()
}

/// What ends a connection is told to whoever waits for an answer.
fn spawned<S: TlsStream + Unpin + Send + 'static>(
    (client, connection): (tokio_postgres::Client, Connection<Socket, S>),
) -> tokio_postgres::Client {
    tokio::spawn(async move { drop(connection.await) });
    client
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn all_begin_in_order_and_before_the_first_is_done() {
        let said = RefCell::new(Vec::new());
        let one = |n: usize| {
            let said = &said;
            Box::pin(async move {
                said.borrow_mut().push(format!("begins {n}"));
                tokio::task::yield_now().await;
                said.borrow_mut().push(format!("done {n}"));
                n
            })
        };
        let runtime = Builder::new_current_thread().build().unwrap();
        let answers = runtime.block_on(in_order((0..100).map(one).collect()));
        assert!(answers.into_iter().eq(0..100));
        let expected: Vec<String> = (0..100).map(|n| format!("begins {n}")).collect();
        assert_eq!(said.borrow()[..100], expected);
    }
}
