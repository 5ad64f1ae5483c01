//! Threads of a server on which it may wait for its store. The others answer everybody and never
//! wait. Of those that may, no one token has more than its share.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinError;

/// Threads that may wait.
pub const N_HANDS: usize = 16;

/// Bodies are taken in by pieces of so many bytes; so many pieces are held at a time.
pub const PIECE: usize = 2 << 20;
const N_PIECES: usize = 512;

/// One token has at most the fourth part of everything.
const SHARES: usize = 4;

/// Shows that this is a thread that may wait: memory is opened only where there is one. It is lent
/// to the work that [`Share::ask`] puts there, and cannot leave that thread.
pub struct Hand(PhantomData<*const ()>);

/// What a server has, and who holds something of it.
pub struct Hands {
    pieces: Arc<Semaphore>,
    shares: Mutex<BTreeMap<String, Weak<Share>>>,
}

/// What one token may hold.
pub struct Share {
    hands: Arc<Semaphore>,
    pieces: Arc<Semaphore>,
    all_pieces: Arc<Semaphore>,
}

/// Room for pieces of a body, as long as it is held.
#[derive(Default)]
pub struct Room(Vec<OwnedSemaphorePermit>);

impl Default for Hands {
    fn default() -> Self {
        Hands { pieces: Arc::new(Semaphore::new(N_PIECES)), shares: Mutex::default() }
    }
}

impl Hands {
    /// The share of whoever this is: the same one as long as anybody holds it.
    pub fn share(&self, whose: &str) -> Arc<Share> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.retain(|_, share| share.strong_count() > 0);
        if let Some(share) = shares.get(whose).and_then(Weak::upgrade) {
            return share;
        }
        let share = Arc::new(Share {
            hands: Arc::new(Semaphore::new(N_HANDS / SHARES)),
            pieces: Arc::new(Semaphore::new(N_PIECES / SHARES)),
            all_pieces: Arc::clone(&self.pieces),
        });
        shares.insert(whose.to_owned(), Arc::downgrade(&share));
        share
    }
}

impl Share {
    /// Does this on a thread that may wait, once the share has one left. Whoever stops listening does
    /// not free it: the work ends when it is done.
    pub async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Hand) -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        let turn = Arc::clone(&self.hands).acquire_owned().await;
        let share = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            let _held = (turn, share);
            work(&Hand(PhantomData))
        })
        .await
    }
}

impl Room {
    /// Makes room for as many bytes, if the share and the server have it.
    pub fn grow(&mut self, share: &Share, n_bytes: usize) -> bool {
        let wanted = n_bytes.div_ceil(PIECE).max(1);
        while self.0.len() < 2 * wanted {
            for pieces in [&share.pieces, &share.all_pieces] {
                match Arc::clone(pieces).try_acquire_owned() {
                    Ok(piece) => self.0.push(piece),
                    Err(_) => return false,
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use tokio::runtime::Builder;

    use super::*;

    #[test]
    fn one_token_has_a_quarter_of_the_threads_also_when_nobody_listens_any_more() {
        let runtime = Builder::new_current_thread().max_blocking_threads(N_HANDS).build().unwrap();
        let hands = Hands::default();
        let (begun, begins) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let ended = Arc::new(Mutex::new(ended));
        runtime.block_on(async {
            let greedy: Vec<_> = (0..20)
                .map(|_| {
                    let (share, begun) = (hands.share("greedy"), begun.clone());
                    let ended = Arc::clone(&ended);
                    tokio::spawn(async move {
                        let work = move |_: &Hand| {
                            begun.send(()).unwrap();
                            let _ = ended.lock().unwrap().recv();
                        };
                        share.ask(work).await
                    })
                })
                .collect();
            for _ in 0..N_HANDS / SHARES {
                while begins.try_recv().is_err() {
                    tokio::task::yield_now().await;
                }
            }
            greedy.iter().for_each(|one| one.abort());
            for one in greedy {
                let _ = one.await;
            }
            let late = hands.share("greedy");
            assert_eq!(late.hands.available_permits(), 0, "they are still at work");
            assert_eq!(hands.share("other").ask(|_| 7).await.unwrap(), 7);
        });
        assert!(begins.try_recv().is_err(), "a fifth was begun");
        drop(end);
        runtime.shutdown_timeout(Duration::from_secs(10));
        assert_eq!(hands.share("greedy").hands.available_permits(), N_HANDS / SHARES);
    }

    #[test]
    fn one_token_has_a_quarter_of_the_room() {
        let hands = Hands::default();
        let share = hands.share("greedy");
        let mut rooms: Vec<Room> = Vec::new();
        loop {
            let mut room = Room::default();
            if !room.grow(&share, 0) {
                break;
            }
            rooms.push(room);
        }
        assert_eq!(rooms.len(), N_PIECES / SHARES, "each body has a piece from the first byte");
        assert!(!rooms[0].grow(&share, PIECE + 1));
        assert!(rooms[0].grow(&share, PIECE), "what it has already");
        rooms.truncate(1);
        assert!(rooms[0].grow(&share, PIECE * N_PIECES / SHARES), "the longest record");
        assert!(Room::default().grow(&hands.share("other"), PIECE));
    }
}
