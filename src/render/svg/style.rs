//! Colours and fonts, for a light and for a dark ground.
//!
//! Each rule has its light colours first: programs that know no media queries
//! (converters to PDF) take those. The hues are Okabe and Ito's, which people
//! with any kind of colour vision can tell apart, a little darker or lighter
//! where a thin line needs it.

/// The style sheet of a picture. The names begin with `me-`, so that pictures
/// can stand in a page with styles of its own.
pub(crate) const STYLE: &str = r#"
.me-plot{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif;font-size:13px}
.me-paper{fill:#ffffff}.me-edge{stroke:#ffffff}
.me-ink{fill:#1b1f24}.me-soft{fill:#57606a}
.me-halo{paint-order:stroke;stroke:#ffffff;stroke-width:3px;stroke-linejoin:round}
.me-title{font-size:16px;font-weight:600}.me-small{font-size:11px}
.me-axis{stroke:#8c959f;fill:none}.me-grid{stroke:#e6e9ec;fill:none}
.me-mark{stroke:#1b1f24;fill:none;stroke-dasharray:5 4}
.me-other{stroke:#6e7781;fill:none;opacity:.4}
.me-thin{fill:none;opacity:.55}
.me-line{fill:none;stroke-width:2;stroke-linejoin:round}
.me-whisker,.me-whisker-end{stroke:#0072b2;opacity:.55;stroke-width:1.2}
.me-lead{fill:none;opacity:.6}
.me-dash{stroke-dasharray:6 3}
.me-s0{stroke:#0072b2}.me-s1{stroke:#d55e00}.me-s2{stroke:#00795a}.me-s3{stroke:#a5447f}.me-s4{stroke:#946200}
.me-f0{fill:#0072b2}.me-f1{fill:#d55e00}.me-f2{fill:#00795a}.me-f3{fill:#a5447f}.me-f4{fill:#946200}
.me-band{fill:#0072b2;opacity:.16}
.me-k0{stroke:#b34700}.me-k1{stroke:#8f2f6b}.me-k2{stroke:#5f5f00}.me-k3{stroke:#005f94}
.me-kf0{fill:#b34700}.me-kf1{fill:#8f2f6b}.me-kf2{fill:#5f5f00}.me-kf3{fill:#005f94}.me-rest{fill:#8c959f}
.me-all{opacity:.22}.me-middle{opacity:.4}
.me-bright,.me-dark{text-anchor:middle;font-size:11px}.me-bright{fill:#1b1f24}.me-dark{fill:#ffffff}
.me-hollow{fill:none;stroke:#6e7781}.me-blank{fill:none;stroke:#d8dee4}
@media (prefers-color-scheme:dark){
.me-paper{fill:#14181d}.me-edge,.me-halo{stroke:#14181d}
.me-ink{fill:#e8ecf0}.me-soft{fill:#a8b2bc}
.me-axis{stroke:#7a8590}.me-grid{stroke:#2a3138}
.me-mark{stroke:#e8ecf0}
.me-other{stroke:#a8b2bc;opacity:.35}
.me-s0{stroke:#56b4e9}.me-s1{stroke:#ff8f45}.me-s2{stroke:#2fcf9f}.me-s3{stroke:#e79bc6}.me-s4{stroke:#f0c040}
.me-f0{fill:#56b4e9}.me-f1{fill:#ff8f45}.me-f2{fill:#2fcf9f}.me-f3{fill:#e79bc6}.me-f4{fill:#f0c040}
.me-band{fill:#56b4e9;opacity:.2}
.me-k0{stroke:#ff8f45}.me-k1{stroke:#e79bc6}.me-k2{stroke:#d6cf4a}.me-k3{stroke:#56b4e9}
.me-kf0{fill:#ff8f45}.me-kf1{fill:#e79bc6}.me-kf2{fill:#d6cf4a}.me-kf3{fill:#56b4e9}
.me-whisker,.me-whisker-end{stroke:#56b4e9;opacity:.75}
.me-hollow{stroke:#a8b2bc}.me-blank{stroke:#3a434c}
}
"#;

/// How many hues there are for lines.
pub(super) const HUES: usize = 5;

/// A colour on the way through some colours; `along` is from 0 to 1.
pub(super) fn ramp(colours: &[[u8; 3]], along: f64) -> String {
    let last = colours.len() - 1;
    let along = if along.is_finite() {
        along.clamp(0.0, 1.0) * last as f64
    } else {
        0.0
    };
    let first = (along as usize).min(last.saturating_sub(1));
    let part = along - first as f64;
    let (a, b) = (colours[first], colours[(first + 1).min(last)]);
    let mix = |k: usize| f64::from(a[k]) + part * (f64::from(b[k]) - f64::from(a[k]));
    let byte = |k: usize| mix(k).round() as u8;
    format!("#{:02x}{:02x}{:02x}", byte(0), byte(1), byte(2))
}

/// High rank to low: cividis, which is the same with any colour vision.
pub(super) const RANK: &[[u8; 3]] = &[
    [253, 231, 55],
    [211, 193, 100],
    [165, 156, 116],
    [124, 123, 120],
    [87, 93, 109],
    [40, 66, 107],
    [0, 34, 78],
];
