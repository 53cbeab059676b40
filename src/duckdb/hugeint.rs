//! 128-bit integers and UUIDs as DuckDB stores them.

use libduckdb_sys::duckdb_hugeint;

/// The stored value as an integer.
pub fn to_i128(value: duckdb_hugeint) -> i128 {
    i128::from(value.upper) << 64 | i128::from(value.lower)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(value: i128) -> duckdb_hugeint {
        duckdb_hugeint {
            lower: value as u64,
            upper: (value >> 64) as i64,
        }
    }

    #[test]
    fn integers_and_uuids_are_read() {
        for value in [0, -1, i128::MIN, i128::MAX, 1 << 64] {
            assert_eq!(to_i128(stored(value)), value);
        }
        let value = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128 ^ FLIPPED;
        let text = "00112233-4455-6677-8899-aabbccddeeff";
        assert_eq!(uuid_text(stored(value as i128)), text);
    }
}
