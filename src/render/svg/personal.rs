//! The own rankings of those who deviate: the consensus order down, annotators
//! across, colour for the rank that each one gives an item.

use super::canvas::{Anchor, Picture, WIDTH};
use super::legend::colour_bar;
use super::style::{RANK, ramp};
use crate::error::Result;
use crate::findings::{OwnRankings, Ranks};
use crate::fit::Fit;
use crate::render::text::{label, short_label, text_width};

const TITLE: &str = "Own rankings of those who deviate";

/// The most annotators and items that are drawn.
const MAX_ANNOTATORS: usize = 60;
const MAX_ITEMS: usize = 300;

const TOP: f64 = 88.0;

/// The longest labels, in cells.
const MAX_ITEM_CELLS: usize = 24;
const MAX_ANNOTATOR_CELLS: usize = 12;

pub(super) fn picture(fit: &Fit) -> Result<Picture> {
    let rankings = OwnRankings::new(fit)?;
    if rankings.len() == 0 {
        let why = "At the chosen time nobody deviates from the consensus.";
        return Ok(Picture::empty(TITLE, why));
    }
    let consensus = &rankings.consensus;
    let rows = consensus.order.iter().take(MAX_ITEMS).map(|&i| i as usize);
    let rows: Vec<usize> = rows.collect();
    let drawn = rankings.len().min(MAX_ANNOTATORS);
    let own: Vec<_> = (0..drawn).map(|position| rankings.get(position)).collect();

    let names = own
        .iter()
        .map(|own| short_label(own.annotator, MAX_ANNOTATOR_CELLS));
    let names: Vec<String> = names.collect();
    let items = rows
        .iter()
        .map(|&item| short_label(fit.item_ids().get(item), MAX_ITEM_CELLS));
    let items: Vec<String> = items.collect();
    let grid = CellGrid::new(&names, &items);
    let subtitle = subtitle(fit, rankings.len(), rows.len());
    let mut picture = Picture::new(WIDTH, grid.height(), TITLE, &subtitle);
    let last_rank = fit.item_ids().len().to_string();
    colour_bar(&mut picture, RANK, [62.0, 60.0], ["rank 1", &last_rank]);
    grid.draw_labels(&mut picture, &names, &items);
    grid.draw_column(&mut picture, 0, &rows, consensus, "consensus");
    for (column, own) in (1..).zip(&own) {
        let what = format!("annotator {}", label(own.annotator));
        grid.draw_column(&mut picture, column, &rows, &own.ranks, &what);
    }
    Ok(picture)
}

fn subtitle(fit: &Fit, deviating: usize, rows: usize) -> String {
    let (annotators, items) = (fit.annotator_ids().len(), fit.item_ids().len());
    let mut text = format!("{deviating} of {annotators} annotators deviate");
    if deviating > MAX_ANNOTATORS {
        text += &format!(", the {MAX_ANNOTATORS} that entered first are drawn");
    }
    if rows < items {
        text += &format!("; the first {rows} of {items} items");
    }
    text + "."
}

/// Where the cells are.
struct CellGrid {
    left: f64,
    top: f64,
    cell: [f64; 2],
    rows: usize,
}

impl CellGrid {
    fn new(names: &[String], items: &[String]) -> Self {
        let widest = |texts: &[String]| texts.iter().map(|t| text_width(t)).fold(0.0, f64::max);
        let left = 24.0 + widest(items);
        let available = WIDTH - 24.0 - left;
        let width = (available / (names.len() as f64 + 1.7)).clamp(6.0, 48.0);
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

    /// The left edge of a column. There is a gap after the consensus, column 0.
    fn x(&self, column: usize) -> f64 {
        let gap = if column == 0 { 0.0 } else { 0.7 };
        self.left + self.cell[0] * (column as f64 + gap)
    }

    /// As many labels as fit.
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

    /// One annotator's ranks: neighbours of the same colour are drawn as one cell.
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
            let corner = [self.x(column), self.top + self.cell[1] * row as f64];
            let size = [self.cell[0] - 0.6, self.cell[1] * cells.len() as f64];
            picture.rect(&format!("fill=\"{}\"", cells[0]), corner, size);
            row += cells.len();
        }
        picture.close_group();
    }
}
