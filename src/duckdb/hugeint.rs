//! 128-bit integers and UUIDs as DuckDB stores them.

use libduckdb_sys::duckdb_hugeint;

/// The stored value as an integer.
pub fn to_i128(value: duckdb_hugeint) -> i128 {
    i128::from(value.upper) << 64 | i128::from(value.lower)
}

/// An integer as it is stored.
pub fn from_i128(value: i128) -> duckdb_hugeint {
    duckdb_hugeint {
        lower: value as u64,
        upper: (value >> 64) as i64,
    }
}

/// UUIDs are stored with the top bit flipped, so that they sort as signed integers.
const FLIPPED: u128 = 1 << 127;

/// The text of a stored UUID.
pub fn uuid_text(stored: duckdb_hugeint) -> String {
    let hex = format!("{:032x}", to_i128(stored) as u128 ^ FLIPPED);
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    parts.join("-")
}

/// The UUID of a text as it is stored.
pub fn stored_uuid(text: &str) -> duckdb_hugeint {
    let value = u128::from_str_radix(&text.replace('-', ""), 16).unwrap_or_default();
    from_i128((value ^ FLIPPED) as i128)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_and_integers_come_back() {
        let text = "00112233-4455-6677-8899-aabbccddeeff";
        assert_eq!(uuid_text(stored_uuid(text)), text);
        for value in [0, -1, i128::MIN, i128::MAX, 1 << 64] {
            assert_eq!(to_i128(from_i128(value)), value);
        }
    }
}
