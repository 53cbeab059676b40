//! Ids: integers or text, interned while votes stream in, sorted once they all
//! are there, and given back in the type that they came in.

use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::error::{Error, Result};

/// One id as a host hands it over.
///
/// The order is the canonical one: integers by value, then text by its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdRef<'a> {
    /// An integer of any width.
    Int(i128),
    /// A text. `"1"` is not the integer 1.
    Text(&'a str),
}

impl std::fmt::Display for IdRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            IdRef::Int(value) => value.fmt(f),
            IdRef::Text(text) => write!(f, "'{text}'"),
        }
    }
}

/// The type of a column of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdType {
    /// Integers: 8, 16, 32, 64 or (signed only) 128 bits.
    Int {
        /// Whether there is a sign.
        signed: bool,
        /// The width.
        bits: u8,
    },
    /// Text.
    Text,
    /// Some ids are 64-bit integers, others text, as SQLite allows.
    Mixed,
}

impl IdType {
    /// The type that SQLite's integers have.
    pub const INT64: Self = Self::int(true, 64);
    /// The type of DuckDB's `HUGEINT`.
    pub const INT128: Self = Self::int(true, 128);

    /// Integers of a width.
    pub const fn int(signed: bool, bits: u8) -> Self {
        Self::Int { signed, bits }
    }

    /// The narrowest type that holds the ids of both.
    pub fn unify(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (Self::Int { signed: a, bits: x }, Self::Int { signed: b, bits: y }) => {
                let signed = a || b;
                // An unsigned one needs twice its width to fit beside a sign.
                let width = |is_signed: bool, bits: u8| {
                    if signed && !is_signed { 2 * bits } else { bits }
                };
                Self::int(signed, width(a, x).max(width(b, y)))
            }
            _ => Self::Mixed,
        }
    }
}

#[derive(Clone, Copy)]
enum Entry {
    Int(i128),
    Text { start: usize, len: usize },
}

/// An id in a form that is hashed and compared without a look at its text, if
/// it is short. A look would be one more cache miss for every vote.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    /// The length of a short text, or one of the two below.
    len: u32,
    /// An integer, or all bytes of a short text, some of them twice; for a long
    /// text its hash and its length.
    words: [u64; 3],
}

/// In place of a length: an integer.
const INT: u32 = u32::MAX;
/// In place of a length: a text of more than [`SHORT`] bytes. Equal keys do not
/// make equal texts then.
const LONG: u32 = u32::MAX - 1;
/// The most bytes of a text that a key holds.
const SHORT: usize = 24;

impl Key {
    fn new(id: IdRef<'_>) -> Self {
        match id {
            IdRef::Int(value) => Self {
                len: INT,
                words: [value as u64, (value >> 64) as u64, 0],
            },
            IdRef::Text(text) if text.len() <= SHORT => Self {
                len: text.len() as u32,
                words: short(text.as_bytes()),
            },
            IdRef::Text(text) => Self {
                len: LONG,
                words: [hasher().hash_one(text), text.len() as u64, 0],
            },
        }
    }

    fn hash(&self) -> u64 {
        let mut hash = hasher().build_hasher();
        hash.write_u64(self.words[0]);
        hash.write_u64(self.words[1]);
        hash.write_u64(self.words[2]);
        hash.write_u32(self.len);
        hash.finish()
    }
}

/// At most [`SHORT`] bytes as words that differ if two texts of the same length do.
fn short(bytes: &[u8]) -> [u64; 3] {
    let word = |at: usize| {
        let eight = bytes[at..].first_chunk().expect("long enough");
        u64::from_le_bytes(*eight)
    };
    let half = |at: usize| {
        let four = bytes[at..].first_chunk().expect("long enough");
        u64::from(u32::from_le_bytes(*four))
    };
    match bytes.len() {
        0 => [0; 3],
        len @ 1..4 => [bytes[0], bytes[len / 2], bytes[len - 1]].map(u64::from),
        len @ 4..8 => [half(0), half(len - 4), 0],
        len @ 8..=16 => [word(0), word(len - 8), 0],
        len => [word(0), word(8), word(len - 8)],
    }
}

/// What the hash table holds of an entry: its key and number, in half a cache line.
#[derive(Clone, Copy)]
struct Slot {
    words: [u64; 3],
    len: u32,
    index: u32,
}

/// Gives each distinct id a number, in the order of first sight.
#[derive(Default)]
pub(crate) struct Interner {
    table: HashTable<Slot>,
    hashes: Vec<u64>,
    entries: Vec<Entry>,
    text: String,
    id_type: Option<IdType>,
    /// The numbers of small integers, without a hash.
    direct: Vec<u32>,
    /// Memory for the keys and hashes of ids that are being looked up.
    keys: Vec<(Key, u64)>,
}

/// In place of a number. There are never so many.
#[cfg(feature = "duckdb")]
const UNKNOWN: u32 = u32::MAX;

/// The most distinct ids of a kind: a pair of items and a choice fit in 64 bits.
const MAX_IDS: usize = (1 << 31) - 1;

/// Partial ingests are merged by stored hash, so they all hash alike. The seed
/// differs between processes; no result depends on it.
fn hasher() -> &'static DefaultHashBuilder {
    static BUILDER: OnceLock<DefaultHashBuilder> = OnceLock::new();
    BUILDER.get_or_init(DefaultHashBuilder::default)
}

impl Interner {
    /// Declares that ids of this type come in.
    pub fn expect(&mut self, id_type: IdType) {
        self.id_type = Some(self.id_type.map_or(id_type, |known| known.unify(id_type)));
    }

    /// Appends the number of each id. All are hashed before the first is looked
    /// up: between short look-ups the processor does not wait for memory.
    pub fn intern_all<'a>(
        &mut self,
        ids: impl Iterator<Item = IdRef<'a>> + Clone,
        numbers: &mut Vec<u32>,
    ) -> Result<()> {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        keys.extend(ids.clone().map(|id| {
            let key = Key::new(id);
            (key, key.hash())
        }));
        for (id, (key, hash)) in ids.zip(&keys) {
            numbers.push(self.intern_hashed(id, *key, *hash)?);
        }
        self.keys = keys;
        Ok(())
    }

    /// The same for integers. Small ones are looked up by their value, in a table
    /// that grows with the ids: one large id does not make it large.
    #[cfg(feature = "duckdb")]
    pub fn intern_whole(&mut self, ids: &[i64], numbers: &mut Vec<u32>) -> Result<()> {
        numbers.reserve(ids.len());
        for &id in ids {
            let number = match self.direct.get(id as usize) {
                Some(&number) if number != UNKNOWN => number,
                _ => self.intern_directly(id)?,
            };
            numbers.push(number);
        }
        Ok(())
    }

    #[cfg(feature = "duckdb")]
    fn intern_directly(&mut self, value: i64) -> Result<u32> {
        let id = IdRef::Int(value.into());
        let key = Key::new(id);
        let number = self.intern_hashed(id, key, key.hash())?;
        let most = 64 + 8 * self.entries.len();
        if let Ok(place) = usize::try_from(value)
            && place < most
        {
            if place >= self.direct.len() {
                self.direct.resize(most, UNKNOWN);
            }
            self.direct[place] = number;
        }
        Ok(number)
    }

    #[inline]
    fn intern_hashed(&mut self, id: IdRef<'_>, key: Key, hash: u64) -> Result<u32> {
        let is_there = |slot: &Slot| {
            slot.len == key.len
                && slot.words == key.words
                && (key.len != LONG || self.get(slot.index) == id)
        };
        match self.table.find(hash, is_there) {
            Some(slot) => Ok(slot.index),
            None => self.insert(id, key, hash),
        }
    }

    #[cold]
    fn insert(&mut self, id: IdRef<'_>, key: Key, hash: u64) -> Result<u32> {
        if self.entries.len() >= MAX_IDS {
            return Err(Error::votes(format!("more than {MAX_IDS} distinct ids")));
        }
        let index = self.entries.len() as u32;
        self.entries.push(match id {
            IdRef::Int(value) => Entry::Int(value),
            IdRef::Text(text) => {
                let start = self.text.len();
                self.text.push_str(text);
                Entry::Text {
                    start,
                    len: text.len(),
                }
            }
        });
        self.hashes.push(hash);
        let hashes = &self.hashes;
        let Key { len, words } = key;
        let slot = Slot { words, len, index };
        self.table
            .insert_unique(hash, slot, |slot| hashes[slot.index as usize]);
        Ok(index)
    }

    /// The id with a number.
    fn get(&self, index: u32) -> IdRef<'_> {
        match self.entries[index as usize] {
            Entry::Int(value) => IdRef::Int(value),
            Entry::Text { start, len } => IdRef::Text(&self.text[start..start + len]),
        }
    }

    /// Takes over another's ids; the result maps its numbers to the ones here.
    pub fn merge(&mut self, other: &Self) -> Result<Vec<u32>> {
        if let Some(id_type) = other.id_type {
            self.expect(id_type);
        }
        (0..other.entries.len() as u32)
            .map(|index| {
                let id = other.get(index);
                self.intern_hashed(id, Key::new(id), other.hashes[index as usize])
            })
            .collect()
    }

    /// The ids in canonical order, and for each number its place in it.
    pub fn sorted(&self, what: &str) -> Result<(Ids, Vec<u32>)> {
        let mut order: Vec<u32> = (0..self.entries.len() as u32).collect();
        order.sort_unstable_by_key(|&index| self.get(index));
        let mut place = vec![0; order.len()];
        let mut ids = Ids::new(self.id_type.unwrap_or(IdType::Text));
        for (position, &index) in order.iter().enumerate() {
            place[index as usize] = position as u32;
            ids.push(self.get(index));
        }
        let beyond = |value: &i128| i64::try_from(*value).is_err();
        if let (IdType::Mixed, Some(value)) = (ids.id_type, ids.ints.iter().find(|v| beyond(v))) {
            return Err(Error::votes(format!(
                "the ids of {what} mix text with integers beyond 64 bits ({value}): cast them all to text"
            )));
        }
        Ok((ids, place))
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> usize {
        self.text.capacity()
            + 4 * self.direct.capacity()
            + self.entries.len() * (size_of::<Entry>() + 8 + 2 * size_of::<Slot>())
    }
}

/// Distinct ids in canonical order: integers by value, then text by its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ids {
    pub(crate) id_type: IdType,
    pub(crate) ints: Vec<i128>,
    pub(crate) text: String,
    /// Where each text ends.
    pub(crate) ends: Vec<usize>,
}

impl Ids {
    pub(crate) fn new(id_type: IdType) -> Self {
        Self {
            id_type,
            ints: Vec::new(),
            text: String::new(),
            ends: Vec::new(),
        }
    }

    /// Appends an id that is greater than all before.
    pub(crate) fn push(&mut self, id: IdRef<'_>) {
        match id {
            IdRef::Int(value) => self.ints.push(value),
            IdRef::Text(text) => {
                self.text.push_str(text);
                self.ends.push(self.text.len());
            }
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.ints.len() + self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type that they came in.
    pub fn id_type(&self) -> IdType {
        self.id_type
    }

    /// The id at a place in the canonical order.
    pub fn get(&self, index: usize) -> IdRef<'_> {
        if let Some(value) = self.ints.get(index) {
            return IdRef::Int(*value);
        }
        let index = index - self.ints.len();
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        IdRef::Text(&self.text[start..self.ends[index]])
    }

    /// Whether every id is one of the declared type.
    pub(crate) fn fit_their_type(&self) -> bool {
        let range = match self.id_type {
            IdType::Text => return self.ints.is_empty(),
            IdType::Mixed => i64::MIN.into()..=i64::MAX.into(),
            IdType::Int { .. } if !self.ends.is_empty() => return false,
            IdType::Int { signed: true, bits } => {
                i128::MIN >> (128 - bits)..=i128::MAX >> (128 - bits)
            }
            IdType::Int {
                signed: false,
                bits,
            } => 0..=(1 << bits) - 1,
        };
        self.ints.iter().all(|value| range.contains(value))
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = IdRef<'_>> {
        (0..self.len()).map(|index| self.get(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_unify_to_the_narrowest_that_holds_both() {
        let int = IdType::int;
        assert_eq!(int(true, 32).unify(int(true, 64)), int(true, 64));
        assert_eq!(int(false, 8).unify(int(false, 16)), int(false, 16));
        assert_eq!(int(false, 32).unify(int(true, 8)), int(true, 64));
        assert_eq!(int(true, 64).unify(int(false, 64)), IdType::INT128);
        assert_eq!(IdType::Text.unify(int(true, 64)), IdType::Mixed);
        assert_eq!(IdType::Mixed.unify(IdType::Text), IdType::Mixed);
    }

    fn intern(interner: &mut Interner, id: IdRef<'_>) -> u32 {
        let mut number = Vec::new();
        interner.intern_all([id].into_iter(), &mut number).unwrap();
        number[0]
    }

    #[test]
    fn ids_that_differ_in_one_byte_or_in_length_are_different() {
        let mut interner = Interner::default();
        let mut count = 0;
        for len in 0..2 * SHORT {
            let plain = vec![b'a'; len];
            assert_eq!(
                intern(&mut interner, IdRef::Text(str::from_utf8(&plain).unwrap())),
                count
            );
            count += 1;
            for at in 0..len {
                let mut other = plain.clone();
                other[at] = b'b';
                let other = IdRef::Text(str::from_utf8(&other).unwrap());
                assert_eq!(intern(&mut interner, other), count);
                assert_eq!(intern(&mut interner, other), count);
                count += 1;
            }
        }
        for value in [0, 1, -1, i128::MIN, i128::MAX, 1 << 64, u64::MAX.into()] {
            assert_eq!(intern(&mut interner, IdRef::Int(value)), count);
            assert_eq!(intern(&mut interner, IdRef::Int(value)), count);
            count += 1;
        }
    }

    #[cfg(feature = "duckdb")]
    #[test]
    fn integers_by_value_have_the_numbers_of_integers_by_hash() {
        let ids: Vec<i64> = (0..500).map(|k| k * k % 311 - 5).collect();
        let ids = [&ids[..], &[i64::MIN, i64::MAX, 1 << 40], &ids[..]].concat();
        let (mut quick, mut slow) = (Interner::default(), Interner::default());
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        quick.intern_whole(&ids, &mut found).unwrap();
        let each = ids.iter().map(|&id| IdRef::Int(id.into()));
        slow.intern_all(each, &mut expected).unwrap();
        assert_eq!(found, expected);
        assert!(quick.direct.len() <= 64 + 8 * quick.entries.len());
    }

    #[test]
    fn merged_interners_agree_with_one() {
        let ids = ["b", "a", "c", "a", "10", ""];
        let (mut one, mut first, mut second) = (
            Interner::default(),
            Interner::default(),
            Interner::default(),
        );
        for interner in [&mut one, &mut first, &mut second] {
            interner.expect(IdType::Mixed);
        }
        for (k, text) in ids.iter().enumerate() {
            for id in [IdRef::Text(text), IdRef::Int(10 - k as i128)] {
                intern(&mut one, id);
                let half = if k % 2 == 0 { &mut second } else { &mut first };
                intern(half, id);
            }
        }
        first.merge(&second).unwrap();
        let (sorted, _) = one.sorted("items").unwrap();
        assert_eq!(sorted, first.sorted("items").unwrap().0);
        let texts: Vec<_> = sorted.iter().map(|id| id.to_string()).collect();
        assert_eq!(texts.join(" "), "5 6 7 8 9 10 '' '10' 'a' 'b' 'c'");
    }
}
