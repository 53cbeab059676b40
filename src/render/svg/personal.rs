//! The own rankings of those who deviate: the items across in the order of the consensus,
//! a row for each annotator, colour for the rank. Similar rankings stand beside each other.

use std::collections::BTreeMap;

use super::canvas::{Anchor, FONT_SIZE, Picture, SMALL_FONT_SIZE, WIDTH};
use super::labels::{MAX_ITEM_CELLS, MAX_LABEL_CELLS};
use super::legend::colour_bar;
use super::style::{RANK, ramp};
use crate::error::Result;
use crate::findings::{OwnRanking, OwnRankings, Ranks, Verdict, by_similarity};
use crate::fit::Fit;
use crate::render::text::{short_label, text_width};
use crate::render::verdicts::kind;

const TITLE: &str = "Own rankings of those who deviate";

/// The most annotators that are drawn.
const MAX_ANNOTATORS: usize = 40;

/// With more items than this each column is several items that follow each other in the
/// consensus, in about so many columns.
const MAX_ITEMS: usize = 80;
const COLUMNS: usize = 50;

/// Up to so many items the ranks are written into the cells.
const MAX_WITH_NUMBERS: usize = 20;

/// Different colours of ranks.
const SHADES: usize = 32;

pub(super) fn picture(fit: &Fit) -> Result<Picture> {
    let rankings = OwnRankings::new(fit)?;
    if rankings.len() == 0 {
        let why = "At the chosen time nobody deviates from the consensus.";
        return Ok(Picture::empty(TITLE, why));
    }
    let verdicts = fit.verdicts().unwrap_or_default();
    let own = drawn(&rankings, &verdicts);
    let grid = CellGrid::new(fit, &rankings, &own, &verdicts);
    let mut picture = Picture::new(TITLE, &explanation(fit, &rankings, &own, &grid));
    let last_rank = fit.item_ids().len().to_string();
    let legend = picture.top + 8.0;
    colour_bar(&mut picture, RANK, [68.0, legend], ["rank 1", &last_rank]);
    let top = legend + 24.0;
    picture.height = top + grid.height() + 20.0;
    grid.draw(&mut picture, fit, top, &rankings.consensus, &own, &verdicts);
    Ok(picture)
}

/// The annotators that are drawn, similar ones beside each other. Where they are too many,
/// those with a taste of their own go first, then those who stand out otherwise, then those
/// who entered early.
fn drawn<'a>(rankings: &OwnRankings<'a>, verdicts: &[Verdict]) -> Vec<OwnRanking<'a>> {
    let mut positions: Vec<usize> = (0..rankings.len()).collect();
    positions.sort_by_key(|&position| {
        let verdict = verdicts[rankings.annotator(position)];
        (verdict != Verdict::OwnTaste, kind(verdict).is_none())
    });
    positions.truncate(MAX_ANNOTATORS);
    let own = positions.into_iter().map(|position| rankings.get(position));
    let mut own: Vec<Option<OwnRanking<'a>>> = own.map(Some).collect();
    let ranks: Vec<&Ranks> = own.iter().flatten().map(|own| &own.ranks).collect();
    let order = by_similarity(&rankings.consensus, &ranks);
    order.into_iter().filter_map(|k| own[k].take()).collect()
}

fn explanation(
    fit: &Fit,
    rankings: &OwnRankings<'_>,
    own: &[OwnRanking<'_>],
    grid: &CellGrid,
) -> String {
    let (annotators, items) = (fit.annotator_ids().len(), fit.item_ids().len());
    let deviating = rankings.len();
    let mut text = format!("{deviating} of {annotators} annotators deviate");
    if own.len() < deviating {
        text += &format!(
            "; {} of them are drawn, those who stand out first",
            own.len()
        );
    }
    text += ". Similar rankings stand beside each other.";
    if grid.columns.len() < items {
        text += &format!(
            " Each cell is the mean rank of up to {} items that follow each other in the consensus.",
            grid.columns[0].len()
        );
    }
    let is_blank = |own: &OwnRanking<'_>| grid.ranks_of(own).contains(&None);
    if own.iter().any(is_blank) {
        text += " Blank: the annotator never saw them.";
    }
    text
}

/// Where the cells are: below `top`, a row of item labels, the consensus, a gap, the
/// annotators.
struct CellGrid {
    /// The items of each column, in the order of the consensus.
    columns: Vec<Vec<usize>>,
    left: f64,
    /// How high the labels of the items are, and whether they run upwards.
    labels: f64,
    is_upwards: bool,
    cell: [f64; 2],
    rows: usize,
}

/// Between the consensus and the annotators.
const GAP: f64 = 8.0;

impl CellGrid {
    fn new(
        fit: &Fit,
        rankings: &OwnRankings<'_>,
        own: &[OwnRanking<'_>],
        verdicts: &[Verdict],
    ) -> Self {
        let order = rankings.consensus.order.iter();
        let items: Vec<usize> = order.map(|&item| item as usize).collect();
        let of_column = match items.len() {
            ..=MAX_ITEMS => 1,
            many => many.div_ceil(COLUMNS),
        };
        let columns: Vec<Vec<usize>> = items.chunks(of_column).map(<[usize]>::to_vec).collect();
        let widest = |widths: &mut dyn Iterator<Item = f64>| widths.fold(0.0, f64::max);
        let names = own
            .iter()
            .map(|own| short_label(own.annotator, MAX_LABEL_CELLS));
        let names = names.chain(["consensus".into()]);
        let left = 24.0 + widest(&mut names.map(|name| text_width(&name, FONT_SIZE)));
        let said = own.iter().map(|own| verdicts[own.index].name());
        let right = 16.0 + widest(&mut said.map(|name| text_width(name, SMALL_FONT_SIZE)));
        let labels = items.iter().map(|&item| match of_column {
            1 => short_label(fit.item_ids().get(item), MAX_ITEM_CELLS),
            _ => format!("{0}–{0}", items.len()),
        });
        let labels = widest(&mut labels.map(|label| text_width(&label, FONT_SIZE)));
        let width = (WIDTH - right - left) / columns.len() as f64;
        let cell = [width.min(40.0), 20.0];
        let is_upwards = labels > cell[0] - 4.0;
        Self {
            left,
            labels: if is_upwards { labels + 10.0 } else { 22.0 },
            is_upwards,
            cell,
            rows: own.len() + 1,
            columns,
        }
    }

    fn height(&self) -> f64 {
        self.labels + self.cell[1] * self.rows as f64 + GAP
    }

    /// The left edge of a column.
    fn x(&self, column: usize) -> f64 {
        self.left + self.cell[0] * column as f64
    }

    /// The upper edge of a row, from the top of the grid. The consensus is row 0.
    fn y(&self, row: usize) -> f64 {
        let gap = if row == 0 { 0.0 } else { GAP };
        self.labels + self.cell[1] * row as f64 + gap
    }

    /// An annotator's ranks by column; None where none of its items was seen.
    fn ranks_of(&self, own: &OwnRanking<'_>) -> Vec<Option<u64>> {
        self.mean_ranks(&own.ranks, |&item| own.votes[item] > 0.0)
    }

    /// The mean rank of the items of each column that are counted, rounded.
    fn mean_ranks(&self, ranks: &Ranks, is_counted: impl Fn(&usize) -> bool) -> Vec<Option<u64>> {
        let columns = self.columns.iter();
        let mean = |items: &Vec<usize>| {
            let counted = || items.iter().filter(|item| is_counted(item));
            let (sum, members) = (
                counted().map(|&item| ranks.rank[item]).sum::<u64>(),
                counted().count() as u64,
            );
            (members > 0).then(|| (sum + members / 2) / members)
        };
        columns.map(mean).collect()
    }

    fn draw(
        &self,
        picture: &mut Picture,
        fit: &Fit,
        top: f64,
        consensus: &Ranks,
        own: &[OwnRanking<'_>],
        verdicts: &[Verdict],
    ) {
        self.draw_items(picture, fit, top);
        let baseline = |row: usize| top + self.y(row) + self.cell[1] / 2.0 + 4.5;
        let (x, anchor) = (self.left - 8.0, Anchor::End);
        picture.text(x, baseline(0), "me-ink", anchor, "consensus");
        let right = self.x(self.columns.len()) + 8.0;
        for (row, own) in (1..).zip(own) {
            let position = [x, baseline(row)];
            picture.id(position, "me-ink", anchor, own.annotator, MAX_LABEL_CELLS);
            let verdict = verdicts[own.index];
            let class = match kind(verdict) {
                Some(kind) => format!("me-small me-kf{kind}"),
                None => "me-small me-soft".into(),
            };
            let y = baseline(row);
            picture.text(right, y, &class, Anchor::Start, verdict.name());
        }
        let everywhere = |_: &usize| true;
        let mut rows = vec![self.mean_ranks(consensus, everywhere)];
        rows.extend(own.iter().map(|own| self.ranks_of(own)));
        self.draw_cells(picture, top, &rows, consensus.rank.len());
    }

    /// As many ids of items as fit, or the positions of several in the consensus.
    fn draw_items(&self, picture: &mut Picture, fit: &Fit, top: f64) {
        let (class, line) = match self.cell[0] {
            ..17.0 => ("me-ink me-small", 13.0),
            _ => ("me-ink", 17.0),
        };
        let every = (line / self.cell[0]).ceil().max(1.0) as usize;
        let mut first = 1;
        for (column, items) in self.columns.iter().enumerate() {
            let last = first + items.len() - 1;
            let draw = |picture: &mut Picture, [x, y]: [f64; 2], anchor: Anchor| match items[..] {
                [item] if first == column + 1 => {
                    let id = fit.item_ids().get(item);
                    picture.id([x, y], class, anchor, id, MAX_ITEM_CELLS);
                }
                _ => picture.text(x, y, class, anchor, &format!("{first}–{last}")),
            };
            let (middle, y) = (self.x(column) + self.cell[0] / 2.0, top + self.labels - 6.0);
            if !self.is_upwards {
                draw(picture, [middle, y], Anchor::Middle);
            } else if column % every == 0 {
                let x = middle + 0.26 * line;
                picture.upwards([x, y], |picture| draw(picture, [0.0; 2], Anchor::Start));
            }
            first = last + 1;
        }
    }

    /// All cells of one colour are one element, those without one are outlined; the ranks
    /// stand in them if they are few.
    fn draw_cells(&self, picture: &mut Picture, top: f64, rows: &[Vec<Option<u64>>], ranks: usize) {
        let mut by_shade: BTreeMap<usize, Vec<[f64; 2]>> = BTreeMap::new();
        let mut blank = Vec::new();
        let mut numbers: [Vec<([f64; 2], u64)>; 2] = Default::default();
        let shade = |rank: u64| (rank as usize - 1) * (SHADES - 1) / (ranks.max(2) - 1);
        for (row, cells) in rows.iter().enumerate() {
            for (column, rank) in cells.iter().enumerate() {
                let corner = [self.x(column), top + self.y(row)];
                let Some(rank) = *rank else {
                    blank.push(corner.map(|at| at + 0.5));
                    continue;
                };
                by_shade.entry(shade(rank)).or_default().push(corner);
                let [x, y] = corner;
                let middle = [x + self.cell[0] / 2.0, y + self.cell[1] / 2.0 + 4.0];
                let is_dark = shade(rank) > SHADES / 2;
                numbers[usize::from(is_dark)].push((middle, rank));
            }
        }
        let gap = if self.cell[0] > 8.0 { 1.0 } else { 0.0 };
        let size = [self.cell[0] - gap, self.cell[1] - 1.0];
        if !blank.is_empty() {
            let inside = size.map(|side| side - 1.0);
            picture.cells("class=\"me-blank\"", &blank, inside);
        }
        for (shade, corners) in by_shade {
            let along = shade as f64 / (SHADES - 1) as f64;
            let paint = format!("fill=\"{}\"", ramp(RANK, along));
            picture.cells(&paint, &corners, size);
        }
        if self.columns.len() <= MAX_WITH_NUMBERS {
            for (class, numbers) in ["me-bright", "me-dark"].into_iter().zip(&numbers) {
                picture.open_group(class);
                for (position, rank) in numbers {
                    picture.group_text(*position, &rank.to_string());
                }
                picture.close_group();
            }
        }
    }
}
