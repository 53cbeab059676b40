//! The answers to all exchanges, in order.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// The answers, in a file that has no name: it is gone when it is closed. The latest is in
/// memory too, since most ranks ask for that.
#[derive(Debug)]
pub struct AnswerLog {
    file: File,
    /// Where each answer ends.
    ends: Vec<u64>,
    latest: Arc<Vec<u8>>,
}

impl AnswerLog {
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            file: unnamed_file()?,
            ends: Vec::new(),
            latest: Arc::default(),
        })
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.ends.len() as u64
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    pub fn push(&mut self, answer: Vec<u8>) -> io::Result<()> {
        self.file.write_all(&answer)?;
        self.ends.push(self.bytes() + answer.len() as u64);
        self.latest = Arc::new(answer);
        Ok(())
    }

    /// An answer that is there.
    pub fn get(&self, number: u64) -> io::Result<Arc<Vec<u8>>> {
        if number + 1 == self.len() {
            return Ok(Arc::clone(&self.latest));
        }
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        let mut answer = vec![0; (self.ends[number] - start) as usize];
        self.file.read_exact_at(&mut answer, start)?;
        Ok(Arc::new(answer))
    }
}

/// A new file that only this process has, without a name.
fn unnamed_file() -> io::Result<File> {
    let folder = std::env::temp_dir();
    for attempt in 0..1000 {
        let name = format!("me_hodgerank-{}-{attempt}.log", std::process::id());
        let path = folder.join(name);
        let mut options = OpenOptions::new();
        match options.read(true).write(true).create_new(true).open(&path) {
            Ok(file) => {
                std::fs::remove_file(&path)?;
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
