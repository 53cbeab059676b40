//! An id in the report: on one line.

use crate::render::text::{escape, is_long, label, short_label};
use crate::votes::IdRef;

/// The longest id, in cells: it fits on the line of a phone.
const MAX_CELLS: usize = 28;

/// An id; pointing at one that was cut off shows all of it.
pub(super) fn id(id: IdRef<'_>) -> String {
    let text = escape(&short_label(id, MAX_CELLS));
    if is_long(id, MAX_CELLS) {
        format!("<bdi title=\"{}\">{text}</bdi>", escape(&label(id)))
    } else {
        format!("<bdi>{text}</bdi>")
    }
}
