//! The order of the folders in `src/`, held to.
//!
//! **votes → linalg → model → fit → findings → render → hosts**: a stage uses what
//! stands before it, never what comes after, and no two files use each other. This
//! test reads every path in `src/` that names something of this crate, follows
//! re-exports to the file that defines it, and prints the graph
//! (`cargo test --test architecture -- --nocapture`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, UseTree};

/// The stages in order. Those of one line know nothing of each other.
const STAGES: &[&[&str]] = &[
    &["error", "progress", "random"],
    &["blob", "execution", "options"],
    &["collective"],
    &["votes", "linalg"],
    &["model", "simulate"],
    &["fit"],
    &["findings"],
    &["render"],
    &["duckdb", "python", "sqlite"],
];

/// Where a name leads: the segments of a module's path from the root of the crate.
type ModulePath = Vec<String>;

/// A file of `src/`, and what it says about others.
#[derive(Default)]
struct SourceFile {
    /// Names that are re-exported or imported here, with the paths behind them.
    imports: Vec<Import>,
    /// Paths elsewhere in the file that begin with `crate`, `super` or `self`.
    paths: Vec<Vec<String>>,
    /// Types that are defined here.
    types: Vec<String>,
    /// How many inline modules the visitor is in: there `super` leads back to this file.
    depth: usize,
}

struct Import {
    path: Vec<String>,
    /// The name that it has here; None for `*`.
    name: Option<String>,
    /// `pub use`, also `pub(crate) use`.
    is_reexport: bool,
}

impl<'ast> Visit<'ast> for SourceFile {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, defined): (&[Attribute], _) = match item {
            Item::Mod(item) => (&item.attrs, None),
            Item::Use(item) => (&item.attrs, None),
            Item::Fn(item) => (&item.attrs, None),
            Item::Impl(item) => (&item.attrs, None),
            Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            Item::Type(item) => (&item.attrs, Some(&item.ident)),
            _ => (&[], None),
        };
        if attributes.iter().any(is_for_tests) {
            return;
        }
        self.types.extend(defined.map(ToString::to_string));
        let inline = usize::from(matches!(item, Item::Mod(item) if item.content.is_some()));
        self.depth += inline;
        visit::visit_item(self, item);
        self.depth -= inline;
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let is_reexport = !matches!(item.vis, syn::Visibility::Inherited);
        self.import(&item.tree, &mut Vec::new(), is_reexport);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        if matches!(segments[0].as_str(), "crate" | "super" | "self") && segments.len() > 1 {
            self.paths.push(from_file(segments, self.depth));
        }
        visit::visit_path(self, path);
    }
}

impl SourceFile {
    fn import(&mut self, tree: &UseTree, prefix: &mut Vec<String>, is_reexport: bool) {
        let mut leaf = |last: Option<&syn::Ident>, name: Option<&syn::Ident>| {
            let last = last.map(ToString::to_string).filter(|last| last != "self");
            let path = prefix.iter().cloned().chain(last).collect();
            let path = from_file(path, self.depth);
            let name = match name.map(ToString::to_string) {
                Some(name) if name == "self" => path.last().cloned(),
                name => name,
            };
            self.imports.push(Import {
                path,
                name,
                is_reexport,
            });
        };
        match tree {
            UseTree::Name(name) => leaf(Some(&name.ident), Some(&name.ident)),
            UseTree::Rename(rename) => leaf(Some(&rename.ident), Some(&rename.rename)),
            UseTree::Glob(_) => leaf(None, None),
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.import(&path.tree, prefix, is_reexport);
                prefix.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, prefix, is_reexport);
                }
            }
        }
    }
}

/// A path as the file itself would write it, of one written in inline modules.
fn from_file(mut path: Vec<String>, depth: usize) -> Vec<String> {
    for _ in 0..depth {
        if path.first().is_some_and(|segment| segment == "super") {
            path[0] = "self".into();
            if path.get(1).is_some_and(|segment| segment == "super") {
                path.remove(0);
            }
        }
    }
    path
}

fn is_for_tests(attribute: &Attribute) -> bool {
    let is_cfg = attribute.path().is_ident("cfg");
    is_cfg
        && attribute
            .parse_args::<syn::Ident>()
            .is_ok_and(|condition| condition == "test" || condition == "doctest")
}

/// All files of `src/`, by the path of the module that each one is.
struct Crate(BTreeMap<ModulePath, SourceFile>);

impl Crate {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files = BTreeMap::new();
        for path in rust_files(&root) {
            let text = fs::read_to_string(&path).expect("a file that was just listed");
            let syntax = syn::parse_file(&text).expect("source that compiles");
            let mut file = SourceFile::default();
            file.visit_file(&syntax);
            files.insert(
                module_of(path.strip_prefix(&root).expect("below src")),
                file,
            );
        }
        Self(files)
    }

    /// The module that a path written in `from` leads to: that of the item at its
    /// end, behind all re-exports. None for a path into another crate.
    fn resolve(&self, from: &ModulePath, path: &[String]) -> Option<ModulePath> {
        self.follow(from, path, &mut BTreeSet::new())
    }

    /// The same, past the imports that were `seen`: two may lead to each other, one
    /// importing a macro or function of the name that the other has for a module.
    fn follow(
        &self,
        from: &ModulePath,
        path: &[String],
        seen: &mut BTreeSet<(ModulePath, String)>,
    ) -> Option<ModulePath> {
        let mut module = from.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => (module, rest) = (Vec::new(), &path[1..]),
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|segment| segment == "super") {
                    module.pop();
                    rest = &rest[1..];
                }
            }
            first => {
                let child = child(&module, first);
                self.0.get(&child)?;
            }
        }
        while let Some((segment, others)) = rest.split_first() {
            let next = child(&module, segment);
            if self.0.contains_key(&next) {
                (module, rest) = (next, others);
                continue;
            }
            let imports = &self.0.get(&module)?.imports;
            let import = imports
                .iter()
                .find(|import| import.name.as_ref() == Some(segment));
            let import = import.filter(|_| seen.insert((module.clone(), segment.clone())));
            let target = import.and_then(|import| self.follow(&module, &import.path, seen));
            return Some(match target {
                Some(target) if target != module => target,
                _ => module,
            });
        }
        Some(module)
    }

    /// Which file uses which others. A re-export in a `mod.rs` is a signpost, not a use.
    fn uses(&self) -> BTreeMap<ModulePath, BTreeSet<ModulePath>> {
        let mut graph: BTreeMap<ModulePath, BTreeSet<ModulePath>> = BTreeMap::new();
        for (module, file) in &self.0 {
            let imports = file.imports.iter().filter(|import| !import.is_reexport);
            let paths = imports.map(|import| &import.path).chain(&file.paths);
            let targets = paths.filter_map(|path| self.resolve(module, path));
            let targets = targets.filter(|target| target != module);
            graph.insert(module.clone(), targets.collect());
        }
        graph
    }
}

fn child(module: &ModulePath, name: &str) -> ModulePath {
    module.iter().cloned().chain([name.to_string()]).collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry of the folder").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files
}

fn module_of(file: &Path) -> ModulePath {
    let names = file.with_extension("");
    let mut module: ModulePath = names
        .iter()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
        module.pop();
    }
    module
}

fn name_of(module: &ModulePath) -> String {
    if module.is_empty() {
        "lib.rs".into()
    } else {
        module.join("::")
    }
}

/// A path through the graph that comes back to where it began.
fn cycle<N: Ord + Clone>(graph: &BTreeMap<N, BTreeSet<N>>) -> Option<Vec<N>> {
    fn visit<N: Ord + Clone>(
        node: &N,
        graph: &BTreeMap<N, BTreeSet<N>>,
        trail: &mut Vec<N>,
        done: &mut BTreeSet<N>,
    ) -> Option<Vec<N>> {
        if let Some(start) = trail.iter().position(|known| known == node) {
            return Some(trail[start..].to_vec());
        }
        if done.contains(node) {
            return None;
        }
        trail.push(node.clone());
        let next = graph.get(node).into_iter().flatten();
        let found = next
            .into_iter()
            .find_map(|next| visit(next, graph, trail, done));
        trail.pop();
        done.insert(node.clone());
        found
    }
    let mut done = BTreeSet::new();
    let mut nodes = graph.keys();
    nodes.find_map(|node| visit(node, graph, &mut Vec::new(), &mut done))
}

#[test]
fn no_two_files_use_each_other() {
    let graph = Crate::read().uses();
    let cycle = cycle(&graph).map(|modules| modules.iter().map(name_of).collect::<Vec<_>>());
    assert_eq!(cycle, None, "these files use each other in a circle");
}

#[test]
fn no_stage_uses_a_later_one() {
    let level = |stage: &str| {
        let position = STAGES.iter().position(|line| line.contains(&stage));
        position.unwrap_or_else(|| panic!("src/{stage} is in no line of STAGES"))
    };
    let mut stages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (module, targets) in Crate::read().uses() {
        for target in targets {
            let (Some(from), Some(to)) = (module.first(), target.first()) else {
                continue; // lib.rs
            };
            if from != to {
                stages.entry(from.clone()).or_default().insert(to.clone());
                if level(to) >= level(from) {
                    wrong.push(format!("{} uses {}", name_of(&module), name_of(&target)));
                }
            }
        }
    }
    for line in STAGES {
        for stage in *line {
            let used = stages.get(*stage).into_iter().flatten().cloned();
            println!("{stage:9} uses {}", used.collect::<Vec<_>>().join(", "));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn no_type_name_stands_for_two_things() {
    let mut defined: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (module, file) in Crate::read().0 {
        for name in file.types {
            defined.entry(name).or_default().push(name_of(&module));
        }
    }
    defined.retain(|_, modules| modules.len() > 1);
    assert_eq!(defined, BTreeMap::new());
}

/// The reading itself: a path through a re-export leads to the file behind it.
#[test]
fn paths_are_followed_through_reexports() {
    let sources = Crate::read();
    let split = |path: &str| path.split("::").map(String::from).collect::<Vec<_>>();
    let resolve = |from: &str, path: &str| {
        let found = sources.resolve(&split(from), &split(path));
        found.map(|module| name_of(&module))
    };
    assert_eq!(
        resolve("fit", "crate::Votes"),
        resolve("fit", "crate::votes::Votes")
    );
    assert_eq!(resolve("votes::sort", "std::fs"), None);
    assert!(
        resolve("fit::compute", "crate::model::Problem").is_some_and(|m| m == "model::problem")
    );
}

#[test]
fn a_cycle_is_found() {
    let graph = |edges: &[(u8, u8)]| {
        let mut graph: BTreeMap<u8, BTreeSet<u8>> = BTreeMap::new();
        for &(from, to) in edges {
            graph.entry(from).or_default().insert(to);
        }
        graph
    };
    assert_eq!(cycle(&graph(&[(1, 2), (2, 3), (1, 3)])), None);
    assert_eq!(cycle(&graph(&[(1, 2), (2, 3), (3, 2)])), Some(vec![2, 3]));
}
