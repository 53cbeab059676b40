//! The own rankings of those who deviate: the consensus order down, annotators
//! across, colour for the rank that each one gives an item.

use super::path::WIDTH;
use super::style::{RANK, ramp};
use super::svg::{Anchor, Picture, show, shown, text_width};
use crate::findings::rank::Ranks;
use crate::fit::{ChosenModel, Fit};
use crate::render::arrow::Entries;

const TITLE: &str = "Own rankings of those who deviate";

/// The most annotators and items that are drawn.
const COLUMNS: usize = 60;
const ROWS: usize = 300;

const TOP: f64 = 88.0;

/// The longest labels.
const ITEM: usize = 24;
const ANNOTATOR: usize = 12;

pub(super) fn picture(fit: &Fit, chosen: &ChosenModel) -> Picture {
    let personal = &chosen.personal;
    let flagged = personal.annotator.len();
    if flagged == 0 {
        let why = "At the chosen time nobody deviates from the consensus.";
        return Picture::empty(TITLE, why);
    }
    let consensus = Ranks::new(fit.theta(chosen.grid_index), &fit.tally.component);
    let rows: Vec<usize> = consensus
        .order
        .iter()
        .take(ROWS)
        .map(|&i| i as usize)
        .collect();
    let entries = Entries::new(&fit.path.deviation, fit.annotators.len());
    let mut who: Vec<usize> = (0..flagged).collect();
    who.sort_by_key(|&index| entries.order[personal.annotator[index] as usize]);
    who.truncate(COLUMNS);

    let names: Vec<String> = who
        .iter()
        .map(|&index| fit.annotators.get(personal.annotator[index] as usize))
        .map(|id| show(id, ANNOTATOR))
        .collect();
    let items: Vec<String> = rows.iter().map(|&i| show(fit.items.get(i), ITEM)).collect();
    let table = Table::new(&names, &items);
    let mut picture = Picture::new(
        WIDTH,
        table.height(),
        TITLE,
        &subtitle(fit, flagged, rows.len()),
    );
    legend(&mut picture, fit.items.len());
    table.draw_labels(&mut picture, &names, &items);
    table.draw_column(&mut picture, 0, &rows, &consensus, "consensus");
    for (column, &index) in who.iter().enumerate() {
        let ranks = Ranks::new(&own_scores(fit, chosen, index), &fit.tally.component);
        let id = fit.annotators.get(personal.annotator[index] as usize);
        let what = format!("annotator {}", shown(id));
        table.draw_column(&mut picture, column + 1, &rows, &ranks, &what);
    }
    picture
}

fn subtitle(fit: &Fit, flagged: usize, rows: usize) -> String {
    let mut text = format!("{flagged} of {} annotators deviate", fit.annotators.len());
    if flagged > COLUMNS {
        text += &format!(", the {COLUMNS} that entered first are drawn");
    }
    if rows < fit.items.len() {
        text += &format!("; the first {rows} of {} items", fit.items.len());
    }
    text + "."
}

fn own_scores(fit: &Fit, chosen: &ChosenModel, index: usize) -> Vec<f64> {
    let personal = &chosen.personal;
    let mut own = fit.theta(chosen.grid_index).to_vec();
    for k in personal.starts[index]..personal.starts[index + 1] {
        own[personal.item[k] as usize] += personal.deviation[k];
    }
    own
}

/// Where the cells are.
struct Table {
    left: f64,
    top: f64,
    cell: [f64; 2],
    rows: usize,
}

impl Table {
    fn new(names: &[String], items: &[String]) -> Self {
        let widest = |texts: &[String]| texts.iter().map(|t| text_width(t)).fold(0.0, f64::max);
        let left = 24.0 + widest(items);
        let room = WIDTH - 24.0 - left;
        let width = (room / (names.len() as f64 + 1.7)).clamp(6.0, 48.0);
        let height = (720.0 / items.len() as f64).clamp(3.0, 20.0);
        Self {
            left,
            top: TOP + widest(names).max(64.0) + 8.0,
            cell: [width, height],
            rows: items.len(),
        }
    }

    fn height(&self) -> f64 {
        self.top + self.cell[1] * self.rows as f64 + 20.0
    }

    /// The left edge of a column; the consensus stands apart.
    fn x(&self, column: usize) -> f64 {
        let apart = if column == 0 { 0.0 } else { 0.7 };
        self.left + self.cell[0] * (column as f64 + apart)
    }

    /// As many labels as there is room for.
    fn draw_labels(&self, picture: &mut Picture, names: &[String], items: &[String]) {
        let every = |size: f64| (12.0 / size).ceil().max(1.0) as usize;
        let middle = |column| self.x(column) + self.cell[0] / 2.0 + 4.0;
        let above = self.top - 6.0;
        picture.text_up(middle(0), above, "me-ink", Anchor::Start, "consensus");
        for (column, name) in names.iter().enumerate().step_by(every(self.cell[0])) {
            picture.text_up(middle(column + 1), above, "me-soft", Anchor::Start, name);
        }
        for (row, item) in items.iter().enumerate().step_by(every(self.cell[1])) {
            let y = self.top + self.cell[1] * (row as f64 + 0.5) + 4.0;
            picture.text(self.left - 8.0, y, "me-ink", Anchor::End, item);
        }
    }

    /// One annotator's ranks: neighbours of the same colour are one cell.
    fn draw_column(
        &self,
        picture: &mut Picture,
        column: usize,
        rows: &[usize],
        ranks: &Ranks,
        what: &str,
    ) {
        let last = (ranks.rank.len().max(2) - 1) as f64;
        let colour = |&item: &usize| ramp(RANK, (ranks.rank[item] - 1) as f64 / last);
        let colours: Vec<String> = rows.iter().map(colour).collect();
        picture.open_group(what);
        let mut row = 0;
        for cells in colours.chunk_by(|a, b| a == b) {
            let place = [self.x(column), self.top + self.cell[1] * row as f64];
            let size = [self.cell[0] - 0.6, self.cell[1] * cells.len() as f64];
            picture.rect(&format!("fill=\"{}\"", cells[0]), place, size);
            row += cells.len();
        }
        picture.close_group();
    }
}

/// A bar of the colours, from the best rank to the worst.
fn legend(picture: &mut Picture, items: usize) {
    const STEPS: usize = 24;
    let (left, y) = (62.0, 60.0);
    picture.text(left - 8.0, y + 10.0, "me-soft", Anchor::End, "rank 1");
    for k in 0..STEPS {
        let paint = format!("fill=\"{}\"", ramp(RANK, k as f64 / (STEPS - 1) as f64));
        picture.rect(&paint, [left + 5.0 * k as f64, y], [5.2, 12.0]);
    }
    let end = left + 5.0 * STEPS as f64 + 8.0;
    picture.text(end, y + 10.0, "me-soft", Anchor::Start, &items.to_string());
}
