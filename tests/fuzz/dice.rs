//! A seeded generator, and damage done to texts and bytes.

/// SplitMix64.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }

    /// A text with a few characters removed, doubled or replaced.
    pub fn damaged(&mut self, text: &str) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        for _ in 0..self.below(4) {
            let index = self.below(chars.len().max(1));
            let odd = *self.pick(&[
                '\'', '"', ';', '-', '*', '/', '[', '\0', 'é', '{', ',', '0', '\n',
            ]);
            match self.below(4) {
                0 if !chars.is_empty() => drop(chars.remove(index)),
                1 if !chars.is_empty() => chars.insert(index, chars[index]),
                2 if !chars.is_empty() => chars[index] = odd,
                _ => chars.insert(index.min(chars.len()), odd),
            }
        }
        chars.into_iter().collect()
    }

    /// A JSON object of names and values, both at times nonsense.
    pub fn json(&mut self, names: &[&str]) -> String {
        const VALUES: [&str; 22] = [
            "0",
            "1",
            "-1",
            "0.5",
            "2",
            "10",
            "20",
            "1e9",
            "1e-9",
            "1e400",
            "-0.0",
            "true",
            "false",
            "null",
            "\"\"",
            "\"n\"",
            "\"skip\"",
            "\"lagged\"",
            "\"bradley-terry\"",
            "[]",
            "{}",
            "3.0",
        ];
        let fields: Vec<String> = (0..self.below(4))
            .map(|_| format!("\"{}\": {}", self.pick(names), self.pick(&VALUES)))
            .collect();
        let text = format!("{{{}}}", fields.join(", "));
        if self.once_in(8) {
            self.damaged(&text)
        } else {
            text
        }
    }
}
