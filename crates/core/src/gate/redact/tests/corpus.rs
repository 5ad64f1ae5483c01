//! Made-up secrets by family, and the texts that carry them: `corpus.txt` as random but
//! repeatable samples.

/// A small linear congruential generator: same seed, same bytes.
pub struct Lcg(u64);

impl Lcg {
    pub fn new(seed: u64) -> Lcg {
        Lcg(seed.wrapping_mul(2).wrapping_add(1))
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn text(&mut self, alphabets: &[&str], length: usize) -> String {
        let alphabet = alphabets.concat();
        (0..length).map(|_| alphabet.as_bytes()[self.below(alphabet.len())] as char).collect()
    }

    /// One piece of a secret, as the corpus writes it.
    fn piece(&mut self, piece: &str) -> String {
        const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
        const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const DIGIT: &str = "0123456789";
        let alnum = [LOWER, UPPER, DIGIT].concat();
        let (alphabet, length) = piece.split_once(':').unwrap_or_default();
        let n = length.parse().unwrap_or_default();
        match alphabet {
            "alnum" => self.text(&[&alnum], n),
            "hex" => self.text(&["0123456789abcdef"], n),
            "url" => self.text(&[&alnum, "-_"], n - 1) + &self.text(&[&alnum], 1),
            "base64" => self.text(&[&alnum, "+/"], n),
            "capital" => self.text(&[UPPER, "234567"], n),
            "digits" => self.text(&[DIGIT], n),
            _ if piece.contains('|') => {
                let texts: Vec<&str> = piece.split('|').collect();
                self.pick(&texts).to_owned()
            }
            _ => piece.replace('␤', "\n"),
        }
    }
}

/// A family to be found: the pieces of its secrets and the texts it stands in.
pub struct Family {
    pub name: &'static str,
    pieces: Vec<&'static str>,
    carriers: Vec<&'static str>,
}

/// A secret, and what stands around it and has to stay.
pub struct Sample {
    pub secret: String,
    pub before: String,
    pub after: String,
}

impl Sample {
    pub fn text(&self) -> String {
        [self.before.as_str(), &self.secret, &self.after].concat()
    }
}

impl Family {
    pub fn samples(&self, count: usize) -> Vec<Sample> {
        let mut lcg = Lcg::new(self.name.len() as u64 * 7919 + u64::from(self.name.as_bytes()[0]));
        let carriers = self.carriers.iter().cycle().take(count);
        carriers.map(|carrier| self.sample(&mut lcg, carrier)).collect()
    }

    fn sample(&self, lcg: &mut Lcg, carrier: &str) -> Sample {
        let secret: String = self.pieces.iter().map(|piece| lcg.piece(piece)).collect();
        let (before, after) = carrier.split_once('@').expect("a carrier has one place");
        let plain = |text: &str| text.replace("(at)", "@").replace('␤', "\n");
        Sample { secret, before: plain(before), after: plain(after) }
    }
}

/// All families of the corpus.
pub fn families() -> Vec<Family> {
    let groups = include_str!("corpus.txt").split("\n[").skip(1);
    let of_group = |group: &'static str| {
        let (carriers, families) = group.split_once("\n--\n").expect("a group has two parts");
        let carriers: Vec<&str> = carriers.lines().skip(1).collect();
        let rows = families.lines().filter(|row| !row.is_empty());
        rows.map(move |row| {
            let (name, pieces) = row.split_once("  ").expect("a family has pieces");
            Family { name, pieces: pieces.split("  ").collect(), carriers: carriers.clone() }
        })
    };
    groups.flat_map(of_group).collect()
}
