//! A rank's end of the connection.

use std::io::{BufReader, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::wire::{self, Exchange, MAGIC, ours};
use crate::collective::{BlockSum, Collective};
use crate::error::{Error, ErrorKind, Result};

/// One rank of several that are connected to a coordinator.
#[derive(Debug)]
pub(crate) struct TcpRank {
    rank: usize,
    ranks: usize,
    connection: Mutex<RankConnection>,
}

#[derive(Debug)]
struct RankConnection {
    stream: BufReader<TcpStream>,
    /// The number of the next exchange.
    next: u64,
    /// How many exchanges were complete when the connection began.
    known: u64,
    waited: Duration,
}

impl TcpRank {
    /// Connects to the coordinator.
    pub fn connect(
        address: impl ToSocketAddrs,
        rank: usize,
        ranks: usize,
        token: u64,
    ) -> Result<Self> {
        let stream = ours(TcpStream::connect(address))?;
        ours(stream.set_nodelay(true))?;
        let mut stream = BufReader::new(stream);
        let mut hello = MAGIC.to_vec();
        ours(wire::write_numbers(
            &mut hello,
            &[token, rank as u64, ranks as u64],
        ))?;
        ours(stream.get_mut().write_all(&hello))?;
        let [_, known] = ours(wire::read_numbers(&mut stream))?;
        Ok(Self {
            rank,
            ranks,
            connection: Mutex::new(RankConnection {
                stream,
                next: 0,
                known,
                waited: Duration::ZERO,
            }),
        })
    }

    /// How long this rank has waited for exchanges.
    pub fn waited(&self) -> Duration {
        self.lock().waited
    }

    /// Tells all ranks that this one cannot go on.
    pub fn fail(&self, reason: &Error) {
        // If the coordinator is gone, so are the others.
        drop(
            self.lock()
                .exchange(Exchange::Fail, reason.to_string().as_bytes()),
        );
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, RankConnection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl RankConnection {
    /// Sends bytes and returns the answer. What is in the coordinator's log already does not
    /// need them.
    fn exchange(&mut self, kind: Exchange, bytes: &[u8]) -> Result<Vec<u8>> {
        let start = Instant::now();
        let is_known = self.next < self.known && kind != Exchange::Fail;
        let bytes = if is_known { &[] } else { bytes };
        let mut message = Vec::with_capacity(24 + bytes.len());
        let header = [self.next, kind.number(), bytes.len() as u64];
        ours(wire::write_numbers(&mut message, &header))?;
        message.extend_from_slice(bytes);
        ours(self.stream.get_mut().write_all(&message))?;
        let [status, length] = ours(wire::read_numbers(&mut self.stream))?;
        let answer = ours(wire::read_bytes(&mut self.stream, length))?;
        self.next += 1;
        self.waited += start.elapsed();
        if status != 0 {
            let reason = String::from_utf8_lossy(&answer).into_owned();
            return Err(Error::new(ErrorKind::Interrupted, reason));
        }
        Ok(answer)
    }
}

impl Collective for TcpRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn all_reduce(&self, parts: Vec<BlockSum>) -> Result<Vec<f64>> {
        let bytes = wire::encode_sums(&parts);
        let sum = self.lock().exchange(Exchange::Reduce, &bytes)?;
        Ok(wire::decode_values(&sum))
    }

    fn all_gather(&self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>> {
        let answer = self.lock().exchange(Exchange::Gather, &bytes)?;
        ours(wire::decode_parts(&answer))
    }
}
