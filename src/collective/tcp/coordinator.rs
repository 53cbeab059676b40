//! The process that all ranks talk to.

use std::io::{self, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::log::AnswerLog;
use super::wire::{self, Exchange, MAGIC};
use crate::collective::add_up;

/// Adds up what the ranks send, and answers them. It runs on threads of its own until it is
/// closed or dropped.
#[derive(Debug)]
pub struct Coordinator {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    ranks: usize,
    token: u64,
    exchange: Mutex<ExchangeState>,
    /// An exchange is complete, or there will be none any more.
    changed: Condvar,
}

#[derive(Debug)]
struct ExchangeState {
    log: AnswerLog,
    /// By rank: what it sent for the exchange that is under way.
    sent: Vec<Option<(Exchange, Vec<u8>)>>,
    /// By rank: its latest connection.
    connections: Vec<Option<TcpStream>>,
    /// Why there will be no more exchanges.
    failure: Option<String>,
}

impl Coordinator {
    /// Listens at an address for so many ranks. They have to know the token; port 0 is any
    /// port that is free.
    pub fn new(address: impl ToSocketAddrs, ranks: usize, token: u64) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            ranks,
            token,
            exchange: Mutex::new(ExchangeState {
                log: AnswerLog::new()?,
                sent: vec![None; ranks],
                connections: (0..ranks).map(|_| None).collect(),
                failure: None,
            }),
            changed: Condvar::new(),
        });
        let listening = Arc::clone(&shared);
        thread::Builder::new()
            .name("me_hodgerank".into())
            .spawn(move || listening.listen(&listener))?;
        Ok(Self { address, shared })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many exchanges are complete, and how many bytes their answers have.
    pub fn exchanges(&self) -> (u64, u64) {
        let state = self.shared.lock();
        (state.log.len(), state.log.bytes())
    }

    /// Ends all exchanges: ranks that wait for one, or begin one, get this as an error.
    pub fn close(&self, reason: &str) {
        self.shared.fail(reason);
        // The listening thread wakes up and sees it.
        drop(TcpStream::connect(self.address));
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.close("the coordinator of the fit has ended");
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, ExchangeState> {
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listen(self: &Arc<Self>, listener: &TcpListener) {
        for connection in listener.incoming() {
            if self.lock().failure.is_some() {
                return;
            }
            let Ok(connection) = connection else {
                continue;
            };
            let shared = Arc::clone(self);
            // A rank whose connection breaks is waited for: another process takes its place.
            let serve = move || drop(shared.serve(&connection));
            drop(
                thread::Builder::new()
                    .name("me_hodgerank".into())
                    .spawn(serve),
            );
        }
    }

    /// Answers a rank until its connection ends.
    fn serve(&self, connection: &TcpStream) -> io::Result<()> {
        connection.set_nodelay(true)?;
        let mut reader = BufReader::new(connection);
        let magic = wire::read_bytes(&mut reader, MAGIC.len() as u64)?;
        let [token, rank, ranks] = wire::read_numbers(&mut reader)?;
        if magic != MAGIC || token != self.token || ranks != self.ranks as u64 || rank >= ranks {
            return Err(wire::malformed("a hello of somebody else"));
        }
        let rank = rank as usize;
        let known = self.welcome(rank, connection)?;
        wire::write_numbers(&mut &*connection, &[0, known])?;
        loop {
            let [number, kind, length] = wire::read_numbers(&mut reader)?;
            let kind = Exchange::from_number(kind)?;
            let bytes = wire::read_bytes(&mut reader, length)?;
            let (status, answer) = match self.answer(rank, number, kind, bytes) {
                Ok(answer) => (0, answer),
                Err(failure) => (1, Arc::new(failure.into_bytes())),
            };
            let mut message = Vec::with_capacity(16 + answer.len());
            wire::write_numbers(&mut message, &[status, answer.len() as u64])?;
            message.extend_from_slice(&answer);
            (&mut &*connection).write_all(&message)?;
        }
    }

    /// A connection of a rank takes the place of an earlier one. Returns how many exchanges are
    /// complete.
    fn welcome(&self, rank: usize, connection: &TcpStream) -> io::Result<u64> {
        let mut state = self.lock();
        let earlier = state.connections[rank].replace(connection.try_clone()?);
        if let Some(earlier) = earlier {
            // It may be gone already.
            drop(earlier.shutdown(Shutdown::Both));
        }
        Ok(state.log.len())
    }

    /// The answer to a rank, once all ranks have sent their part; or why there is none.
    fn answer(
        &self,
        rank: usize,
        number: u64,
        kind: Exchange,
        bytes: Vec<u8>,
    ) -> Result<Arc<Vec<u8>>, String> {
        if kind == Exchange::Fail {
            let reason = String::from_utf8_lossy(&bytes).into_owned();
            self.fail(&reason);
            return Err(reason);
        }
        let mut state = self.lock();
        if number == state.log.len() {
            state.sent[rank] = Some((kind, bytes));
            if state.sent.iter().all(Option::is_some) {
                if let Err(error) = state.complete() {
                    state.failure.get_or_insert(error);
                }
                self.changed.notify_all();
            }
        }
        while state.failure.is_none() && number >= state.log.len() {
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        match &state.failure {
            Some(failure) => Err(failure.clone()),
            None => state.log.get(number).map_err(|error| error.to_string()),
        }
    }

    fn fail(&self, reason: &str) {
        self.lock().failure.get_or_insert(reason.to_string());
        self.changed.notify_all();
    }
}

impl ExchangeState {
    /// Puts the answer to what all ranks sent into the log.
    fn complete(&mut self) -> Result<(), String> {
        let sent: Vec<_> = self.sent.iter_mut().flat_map(Option::take).collect();
        let kind = sent[0].0;
        if sent.iter().any(|(other, _)| *other != kind) {
            return Err("ranks exchange different things: they do not have the same version, options or votes".into());
        }
        let parts: Vec<Vec<u8>> = sent.into_iter().map(|(_, bytes)| bytes).collect();
        let answer = match kind {
            Exchange::Reduce => sum(&parts)?,
            Exchange::Gather | Exchange::Fail => wire::encode_parts(&parts),
        };
        self.log.push(answer).map_err(|error| error.to_string())
    }
}

/// The sum over the blocks of all ranks.
fn sum(parts: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let mut sums = Vec::new();
    for part in parts {
        sums.extend(wire::decode_sums(part).map_err(|error| error.to_string())?);
    }
    match add_up(&mut sums)[..] {
        [0] => Ok(wire::encode_values(&sums[0].values)),
        _ => Err("the ranks do not have all blocks of the table".into()),
    }
}
