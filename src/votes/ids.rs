//! Ids: integers or text, interned while votes are read, sorted when all are
//! read, and returned in the type in which they were read.

use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::error::{Error, Result};

/// One id as a host passes it.
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
                // An unsigned integer needs twice its width in a signed type.
                let width = |is_signed: bool, bits: u8| {
                    if signed && !is_signed { 2 * bits } else { bits }
                };
                Self::int(signed, width(a, x).max(width(b, y)))
            }
            _ => Self::Mixed,
        }
    }

    /// The byte that stands for the type where ids are stored.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Text => 0,
            Self::Mixed => 1,
            Self::Int { signed, bits } => bits | u8::from(signed), // bits is even
        }
    }

    /// The type that a byte stands for.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        match (code & !1, code & 1 == 1) {
            (0, false) => Some(Self::Text),
            (0, true) => Some(Self::Mixed),
            (bits @ (8 | 16 | 32 | 64), signed) => Some(Self::int(signed, bits)),
            (128, true) => Some(Self::INT128),
            _ => None,
        }
    }
}

#[derive(Clone, Copy)]
enum IdEntry {
    Int(i128),
    Text { start: usize, len: usize },
}

/// An id in a form that is hashed and compared without reading its text, if that
/// is short. Reading it would be one more cache miss for every vote.
#[derive(Clone, Copy, PartialEq, Eq)]
struct IdKey {
    /// The length of a short text, or [`INTEGER`] or [`LONG_TEXT`].
    len: u32,
    /// An integer, or all bytes of a short text, some of them twice; for a long
    /// text its hash and its length.
    words: [u64; 3],
}

/// Instead of a length: the id is an integer.
const INTEGER: u32 = u32::MAX;
/// Instead of a length: the id is a text of more than [`MAX_SHORT`] bytes. Such
/// keys can be equal although the texts differ.
const LONG_TEXT: u32 = u32::MAX - 1;
/// Bytes of the longest text that a key holds completely.
const MAX_SHORT: usize = 24;

impl IdKey {
    fn new(id: IdRef<'_>) -> Self {
        match id {
            IdRef::Int(value) => Self {
                len: INTEGER,
                words: [value as u64, (value >> 64) as u64, 0],
            },
            IdRef::Text(text) if text.len() <= MAX_SHORT => Self {
                len: text.len() as u32,
                words: short_words(text.as_bytes()),
            },
            IdRef::Text(text) => Self {
                len: LONG_TEXT,
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

/// At most [`MAX_SHORT`] bytes as words. Two different texts of the same length
/// have different words.
fn short_words(bytes: &[u8]) -> [u64; 3] {
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

/// An entry of the hash table: an id's key and number, in half a cache line.
#[derive(Clone, Copy)]
struct IdSlot {
    words: [u64; 3],
    len: u32,
    index: u32,
}

/// Gives each distinct id a number, in the order of first appearance.
#[derive(Default)]
pub(crate) struct Interner {
    table: HashTable<IdSlot>,
    hashes: Vec<u64>,
    entries: Vec<IdEntry>,
    text: String,
    id_type: Option<IdType>,
    /// The numbers of small integers, by their value.
    direct: Vec<u32>,
    /// Scratch for the keys and hashes of ids that are being looked up.
    keys: Vec<(IdKey, u64)>,
}

/// Instead of a number: there are never so many ids.
const UNKNOWN: u32 = u32::MAX;

/// Distinct annotators, or items, at most: a pair of items and a choice fit in 64 bits.
pub(super) const MAX_IDS: usize = (1 << 31) - 1;

/// Interners are merged by stored hash, so all use the same hash function. The seed
/// differs between processes; no result depends on it.
fn hasher() -> &'static DefaultHashBuilder {
    static BUILDER: OnceLock<DefaultHashBuilder> = OnceLock::new();
    BUILDER.get_or_init(DefaultHashBuilder::default)
}

impl Interner {
    /// Declares that ids of this type follow.
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
            let key = IdKey::new(id);
            (key, key.hash())
        }));
        for (id, (key, hash)) in ids.zip(&keys) {
            numbers.push(self.intern_hashed(id, *key, *hash)?);
        }
        self.keys = keys;
        Ok(())
    }

    /// The same for integers. Small ones are looked up by their value in a table
    /// whose size depends on the number of ids, so that one large id does not make
    /// it large.
    pub fn intern_integers(&mut self, ids: &[i64], numbers: &mut Vec<u32>) -> Result<()> {
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

    fn intern_directly(&mut self, value: i64) -> Result<u32> {
        let id = IdRef::Int(value.into());
        let key = IdKey::new(id);
        let number = self.intern_hashed(id, key, key.hash())?;
        let max_len = 64 + 8 * self.entries.len();
        if let Ok(index) = usize::try_from(value)
            && index < max_len
        {
            if index >= self.direct.len() {
                self.direct.resize(max_len, UNKNOWN);
            }
            self.direct[index] = number;
        }
        Ok(number)
    }

    #[inline]
    fn intern_hashed(&mut self, id: IdRef<'_>, key: IdKey, hash: u64) -> Result<u32> {
        let matches = |slot: &IdSlot| {
            slot.len == key.len
                && slot.words == key.words
                && (key.len != LONG_TEXT || self.get(slot.index) == id)
        };
        match self.table.find(hash, matches) {
            Some(slot) => Ok(slot.index),
            None => self.insert(id, key, hash),
        }
    }

    #[cold]
    fn insert(&mut self, id: IdRef<'_>, key: IdKey, hash: u64) -> Result<u32> {
        if self.entries.len() >= MAX_IDS {
            return Err(Error::votes(format!("more than {MAX_IDS} distinct ids")));
        }
        let index = self.entries.len() as u32;
        self.entries.push(match id {
            IdRef::Int(value) => IdEntry::Int(value),
            IdRef::Text(text) => {
                let start = self.text.len();
                self.text.push_str(text);
                IdEntry::Text {
                    start,
                    len: text.len(),
                }
            }
        });
        self.hashes.push(hash);
        let hashes = &self.hashes;
        let IdKey { len, words } = key;
        let slot = IdSlot { words, len, index };
        self.table
            .insert_unique(hash, slot, |slot| hashes[slot.index as usize]);
        Ok(index)
    }

    /// The id with a number.
    fn get(&self, index: u32) -> IdRef<'_> {
        match self.entries[index as usize] {
            IdEntry::Int(value) => IdRef::Int(value),
            IdEntry::Text { start, len } => IdRef::Text(&self.text[start..start + len]),
        }
    }

    /// Adds the ids of another interner. The result maps its numbers to the numbers here.
    pub fn merge(&mut self, other: &Self) -> Result<Vec<u32>> {
        if let Some(id_type) = other.id_type {
            self.expect(id_type);
        }
        (0..other.entries.len() as u32)
            .map(|index| {
                let id = other.get(index);
                self.intern_hashed(id, IdKey::new(id), other.hashes[index as usize])
            })
            .collect()
    }

    /// The first id in canonical order.
    pub fn first(&self) -> Option<IdRef<'_>> {
        (0..self.entries.len() as u32)
            .map(|index| self.get(index))
            .min()
    }

    /// The ids in canonical order, and for each number its position in it.
    pub fn sorted(&self, what: &str) -> Result<(Ids, Vec<u32>)> {
        let mut order: Vec<u32> = (0..self.entries.len() as u32).collect();
        order.sort_unstable_by_key(|&index| self.get(index));
        let mut positions = vec![0; order.len()];
        let mut ids = Ids::new(IdType::Text);
        for (position, &index) in order.iter().enumerate() {
            positions[index as usize] = position as u32;
            ids.push(self.get(index));
        }
        ids.id_type = self.id_type.unwrap_or_else(|| ids.narrowest_type());
        let beyond = |value: &i128| i64::try_from(*value).is_err();
        if let (IdType::Mixed, Some(value)) = (ids.id_type, ids.ints.iter().find(|v| beyond(v))) {
            return Err(Error::votes(format!(
                "the ids of {what} mix text with integers beyond 64 bits ({value}): cast them all to text"
            )));
        }
        Ok((ids, positions))
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> usize {
        self.text.capacity()
            + 4 * self.direct.capacity()
            + self.entries.len() * (size_of::<IdEntry>() + 8 + 2 * size_of::<IdSlot>())
    }
}

/// Distinct ids in canonical order: integers by value, then text by its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ids {
    pub(crate) id_type: IdType,
    pub(crate) ints: Vec<i128>,
    pub(crate) text: String,
    /// The offset at which each text ends.
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

    /// Appends an id, which must be greater than all before it.
    pub(crate) fn push(&mut self, id: IdRef<'_>) {
        match id {
            IdRef::Int(value) => self.ints.push(value),
            IdRef::Text(text) => {
                self.text.push_str(text);
                self.ends.push(self.text.len());
            }
        }
    }

    /// The number of ids.
    pub fn len(&self) -> usize {
        self.ints.len() + self.ends.len()
    }

    /// Whether there are no ids.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type in which they were read.
    pub fn id_type(&self) -> IdType {
        self.id_type
    }

    /// The id at a position in canonical order.
    pub fn get(&self, index: usize) -> IdRef<'_> {
        if let Some(value) = self.ints.get(index) {
            return IdRef::Int(*value);
        }
        let index = index - self.ints.len();
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        IdRef::Text(&self.text[start..self.ends[index]])
    }

    /// The position of an id in canonical order; None if it is not here.
    pub fn position(&self, id: IdRef<'_>) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(middle).cmp(&id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The type of ids of which none was declared.
    fn narrowest_type(&self) -> IdType {
        let is_long = |value: &i128| i64::try_from(*value).is_err();
        match (self.ints.is_empty(), self.ends.is_empty()) {
            (true, _) => IdType::Text,
            (false, false) => IdType::Mixed,
            (false, true) if self.ints.iter().any(is_long) => IdType::INT128,
            (false, true) => IdType::INT64,
        }
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

    /// All ids in canonical order.
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
        for len in 0..2 * MAX_SHORT {
            let text = vec![b'a'; len];
            assert_eq!(
                intern(&mut interner, IdRef::Text(str::from_utf8(&text).unwrap())),
                count
            );
            count += 1;
            for at in 0..len {
                let mut other = text.clone();
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

    #[test]
    fn integers_by_value_have_the_numbers_of_integers_by_hash() {
        let ids: Vec<i64> = (0..500).map(|k| k * k % 311 - 5).collect();
        let ids = [&ids[..], &[i64::MIN, i64::MAX, 1 << 40], &ids[..]].concat();
        let (mut quick, mut slow) = (Interner::default(), Interner::default());
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        quick.intern_integers(&ids, &mut found).unwrap();
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
