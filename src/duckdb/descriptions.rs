//! What each function answers, in a sentence with an example: as comments on the macros,
//! which `duckdb_functions()` shows, and as the file that DuckDB's community site reads
//! (`docs/function_descriptions.csv`). DuckDB's C API cannot describe other functions.

use crate::ResultSet;

/// What is said of a function.
struct Description {
    name: String,
    kind: FunctionKind,
    answers: String,
    example: String,
}

#[derive(Clone, Copy, PartialEq)]
enum FunctionKind {
    TableMacro,
    ScalarMacro,
    /// Made by the extension itself: no comment can be put on it.
    Function,
}

/// What follows `me_hodgerank` in the name of the macro for a set.
pub fn name_of(set: ResultSet) -> String {
    match set {
        ResultSet::Ranking => String::new(),
        _ => format!("_{}", set.name()),
    }
}

/// What the set of a fit answers.
fn answer(set: ResultSet) -> &'static str {
    match set {
        ResultSet::Ranking => {
            "The consensus ranking of pairwise votes: a row for each item, the best first."
        }
        ResultSet::Annotators => {
            "Whom to look at before paying, and why: a row for each annotator with a verdict and \
             its evidence."
        }
        ResultSet::Personal => "The rankings of annotators who have a taste of their own.",
        ResultSet::Path => {
            "The regularisation path in long format: in which order effects show, from HodgeRank \
             alone to the full model."
        }
        ResultSet::Cv => "The cross-validation curve: how well held-back votes are predicted.",
        ResultSet::Summary => {
            "One row about the fit: how large, how good, which columns were read, and what to be \
             careful about."
        }
        ResultSet::Cycles => "What no ranking can explain: a row for each compared pair.",
        ResultSet::Triangles => "The worst cycles of three items, with p-values.",
        ResultSet::Compare => {
            "Is one item really better than another? A row for each pair of the top items, with an \
             interval, p- and q-values and the direct votes."
        }
        ResultSet::Next => {
            "What to ask next: the pairs of items whose votes would tell most about the scores."
        }
    }
}

fn all() -> Vec<Description> {
    let of_votes = ResultSet::ALL.map(|set| {
        let name = format!("me_hodgerank{}", name_of(set));
        Description {
            answers: format!("{} Columns: {}.", answer(set), column_names(set)),
            example: format!("FROM me.{name}('votes')"),
            kind: FunctionKind::TableMacro,
            name,
        }
    });
    let of_model = ResultSet::ALL.map(|set| {
        let name = format!("me_hodgerank_model_{}", set.name());
        Description {
            answers: format!(
                "The same as me_hodgerank{}, of a model that me_hodgerank_model made. Ids are text \
                 unless annotator and item give their types. Columns: {}.",
                name_of(set),
                column_names(set)
            ),
            example: format!(
                "SELECT r.* FROM models, me.{name}(models.model, item := NULL::BIGINT) r"
            ),
            kind: FunctionKind::TableMacro,
            name,
        }
    });
    let others = OTHERS
        .iter()
        .map(|(name, kind, answers, example)| Description {
            name: (*name).into(),
            kind: *kind,
            answers: (*answers).into(),
            example: (*example).into(),
        });
    of_votes.into_iter().chain(others).chain(of_model).collect()
}

const OTHERS: &[(&str, FunctionKind, &str, &str)] = &[
    (
        "me_hodgerank_predict",
        FunctionKind::TableMacro,
        "How would they have voted? The rows of a second table of votes with predictions of the \
         fit of the first. Columns: those of the second table, predicted, predicted_hodgerank, \
         win_probability.",
        "FROM me.me_hodgerank_predict('votes', 'new_votes')",
    ),
    (
        "me_hodgerank_plot",
        FunctionKind::TableMacro,
        "A picture of the fit as SVG: 'ranking', 'path_position_bias', 'path_deviation', \
         'jump_out', 'personal', 'matrix' or 'cv'. Column: svg.",
        "SELECT svg FROM me.me_hodgerank_plot('votes', 'ranking')",
    ),
    (
        "me_hodgerank_report",
        FunctionKind::TableMacro,
        "A page about the votes, with pictures, as HTML: whom to look at, the ranking, what it \
         leaves unexplained. Column: html.",
        "SELECT html FROM me.me_hodgerank_report('votes', title := 'Drinks')",
    ),
    (
        "me_hodgerank_model",
        FunctionKind::ScalarMacro,
        "An aggregate: the whole fit of a group of votes, or of states that me_hodgerank_collect \
         made, as a BLOB, to be stored and unpacked by me_hodgerank_model_ranking and its siblings.",
        "SELECT task, me.me_hodgerank_model(annotator, \"left\", \"right\", choice) AS model FROM votes GROUP BY task",
    ),
    (
        "me_hodgerank_fit",
        FunctionKind::ScalarMacro,
        "An aggregate: the whole fit of a group of votes, or of states, as a STRUCT with a field for \
         each result set.",
        "SELECT task, me.me_hodgerank_fit(annotator, \"left\", \"right\", choice).summary.votes FROM votes GROUP BY task",
    ),
    (
        "me_hodgerank_fit_list",
        FunctionKind::ScalarMacro,
        "The same for a list of votes or states, so that DuckDB's list can filter, sort or window them; the \
         second and third argument give the types of ids.",
        "SELECT me.me_hodgerank_fit_list(list({annotator: annotator, \"left\": \"left\", \"right\": \"right\", choice: choice}) \
         FILTER (task = 1), any_value(annotator), any_value(\"left\")) FROM votes",
    ),
    (
        "me_hodgerank_model_list",
        FunctionKind::Function,
        "The fit of a list of votes, or of states, as a BLOB.",
        "SELECT me_hodgerank_model_list(list({annotator: annotator, \"left\": \"left\", \"right\": \"right\", choice: choice})) FROM votes",
    ),
    (
        "me_hodgerank_collect",
        FunctionKind::ScalarMacro,
        "An aggregate: the votes of a group as a state, a BLOB to be stored, merged with others by \
         me_hodgerank_merge, and fitted by me_hodgerank_model(state).",
        "INSERT INTO states SELECT current_date, me.me_hodgerank_collect(annotator, \"left\", \"right\", choice) FROM votes_of_today",
    ),
    (
        "me_hodgerank_merge",
        FunctionKind::ScalarMacro,
        "An aggregate: the votes of all states as one state.",
        "SELECT date_trunc('month', day), me.me_hodgerank_merge(state) FROM states GROUP BY ALL",
    ),
    (
        "me_hodgerank_collect_list",
        FunctionKind::Function,
        "The votes of a list as a state.",
        "SELECT me_hodgerank_collect_list(list({annotator: annotator, \"left\": \"left\", \"right\": \"right\", choice: choice}) \
         FILTER (task = 1)) FROM votes",
    ),
    (
        "me_hodgerank_merge_list",
        FunctionKind::Function,
        "The votes of a list of states as one state.",
        "SELECT day, me_hodgerank_merge_list(list(state) OVER (ORDER BY day)) FROM states",
    ),
    (
        "me_hodgerank_predict_vote",
        FunctionKind::Function,
        "The vote that a stored model predicts of an annotator on two items: positive for the left \
         one.",
        "SELECT me_hodgerank_predict_vote(model, 7, 'tea', 'milk') FROM models",
    ),
    (
        "me_hodgerank_predict_hodgerank",
        FunctionKind::Function,
        "The same without effects of annotators.",
        "SELECT me_hodgerank_predict_hodgerank(model, 'tea', 'milk') FROM models",
    ),
    (
        "me_hodgerank_svg",
        FunctionKind::Function,
        "A picture of a stored model.",
        "SELECT me_hodgerank_svg(model, 'ranking') FROM models",
    ),
    (
        "me_hodgerank_html",
        FunctionKind::Function,
        "The report of a stored model.",
        "SELECT me_hodgerank_html(model) FROM models",
    ),
    (
        "me_hodgerank_simulate",
        FunctionKind::Function,
        "Made-up votes with a known truth, to try the other functions on.",
        "FROM me_hodgerank_simulate(annotators := 40, items := 5, seed := 7)",
    ),
    (
        "me_hodgerank_version",
        FunctionKind::Function,
        "The version of the extension.",
        "SELECT me_hodgerank_version()",
    ),
];

fn column_names(set: ResultSet) -> String {
    let names: Vec<_> = set.columns().iter().map(|column| column.name).collect();
    names.join(", ")
}

/// Statements that put a comment on each macro, in the schema of this prefix.
pub fn comments(schema: &str) -> String {
    let comment = |description: &Description| {
        let kind = match description.kind {
            FunctionKind::TableMacro => "MACRO TABLE",
            FunctionKind::ScalarMacro => "MACRO",
            FunctionKind::Function => return None,
        };
        let text = format!("{} Example: {}", description.answers, description.example);
        Some(format!(
            "COMMENT ON {kind} {schema}{} IS '{}';\n",
            description.name,
            text.replace('\'', "''")
        ))
    };
    all().iter().filter_map(comment).collect()
}

/// The file for DuckDB's community site.
#[cfg(test)]
pub fn csv() -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let line = |description: &Description| {
        let Description {
            name,
            answers,
            example,
            ..
        } = description;
        format!(
            "{name},{},,{}\n",
            quoted(answers),
            quoted(&format!("{example};"))
        )
    };
    let lines: String = all().iter().map(line).collect();
    format!("function,description,comment,example\n{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The catalog's own description names every function.
    #[test]
    fn the_community_description_names_every_function() {
        let text = include_str!("../../description.yml");
        for Description { name, .. } in all() {
            assert!(text.contains(&format!("`{name}`")), "{name}");
        }
    }
}
