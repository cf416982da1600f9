//! Random numbers that a seed gives again: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), which is a few lines, passes
//! the usual test batteries and takes any seed, zero included.

/// A sequence of random numbers.
#[derive(Clone, Debug, Default)]
pub struct Random(u64);

/// The kinds of integers that [`Random::below`] gives.
pub trait Number: Copy {
    /// The bound as an unsigned number.
    fn to_bits(self) -> u64;
    /// A number below a bound of this kind.
    fn from_bits(bits: u64) -> Self;
}

macro_rules! numbers {
    ($($kind:ty),*) => {$(
        impl Number for $kind {
            fn to_bits(self) -> u64 {
                self as u64
            }

            fn from_bits(bits: u64) -> Self {
                bits as $kind
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, usize, i32, i64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below the bound; below 0, there is 0.
    pub fn below<N: Number>(&mut self, bound: N) -> N {
        N::from_bits(self.bits() % bound.to_bits().max(1))
    }

    /// A number below the bound, by scaling instead of division: what `highwater simulate` draws with.
    pub fn scaled(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below(high - low + 1)
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100u64) < percent
    }

    /// True in one of so many cases.
    pub fn one_in<N: Number>(&mut self, times: N) -> bool {
        self.below(times.to_bits()) == 0
    }

    /// One of these.
    pub fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The first numbers of the authors' program for the seed 1234567.
    #[test]
    fn the_sequence_is_that_of_splitmix64() {
        let mut random = Random::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(expected.map(|_| random.bits()), expected);
    }

    #[test]
    fn numbers_are_below_their_bounds_and_reach_all_of_them() {
        let mut random = Random::new(0);
        let mut seen = [false; 7];
        (0..200).for_each(|_| seen[random.below(7usize)] = true);
        assert_eq!(seen, [true; 7]);
        assert_eq!(random.below(0u64), 0);
        assert!((0..200).all(|_| (-2..=3).contains(&random.between(-2, 3))));
    }
}
