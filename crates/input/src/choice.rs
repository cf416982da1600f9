//! Settings that are one of a few words: the same words on the command line, in the book and in Rust.

/// A setting that is one of a few words.
pub trait Choice: Copy + PartialEq + 'static {
    /// Every value with its name and what it means.
    const ALL: &'static [(Self, &'static str, &'static str)];

    /// The value with this name, or with this name of an earlier version.
    fn named(name: &str) -> Option<Self> {
        let name = OLD_NAMES.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| *new);
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(value, ..)| *value)
    }

    /// The name.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(value, ..)| *value == self).map_or("", |(_, name, _)| *name)
    }
}

/// Names of earlier versions, and what they are called now.
pub const OLD_NAMES: [(&str, &str); 2] = [("predicates", "pdr"), ("concurrent", "cegar")];

/// Defines an enumeration whose first value is the default, and its names.
#[macro_export]
macro_rules! choices {
    ($(#[$about:meta])* $name:ident { $($value:ident = $word:literal: $help:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = $help] $value,)+
        }

        impl $crate::choice::Choice for $name {
            const ALL: &'static [(Self, &'static str, &'static str)] = &[$(($name::$value, $word, $help)),+];
        }

        impl Default for $name {
            fn default() -> Self {
                <Self as $crate::choice::Choice>::ALL[0].0
            }
        }
    };
}
