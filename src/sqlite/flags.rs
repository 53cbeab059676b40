//! How functions are registered.

use rusqlite::functions::FunctionFlags;

/// For functions that depend on their arguments only: they may be used in views
/// and triggers of a schema that is not trusted.
pub(super) const PURE: FunctionFlags = FunctionFlags::SQLITE_UTF8
    .union(FunctionFlags::SQLITE_DETERMINISTIC)
    .union(FunctionFlags::SQLITE_INNOCUOUS);
