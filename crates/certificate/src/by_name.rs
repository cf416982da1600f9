//! Numbers by name, as an object: how long each channel got, what a round adds to each: `{"q":2,"P[2]:c":0}`. The order of
//! the channels is kept both ways, so that a document that is read and written again is the same.

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Channels by name, on the way in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Longest(pub Vec<(String, u64)>);

/// Channels by name and a number for each, on the way out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByName<'a, T>(pub &'a [(String, T)]);

impl<T: Serialize> Serialize for ByName<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, number)| (name, number)))
    }
}

impl<'de> Deserialize<'de> for Longest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Channels)
    }
}

struct Channels;

impl<'de> Visitor<'de> for Channels {
    type Value = Longest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a number for each channel")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Longest, A::Error> {
        let mut channels = Vec::new();
        while let Some(channel) = map.next_entry()? {
            channels.push(channel);
        }
        Ok(Longest(channels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_keep_their_order() {
        let channels = vec![(String::from("q"), 2), (String::from("P[2]:c"), 0), (String::from("a"), u64::MAX)];
        let text = serde_json::to_string(&ByName(&channels)).unwrap();
        assert_eq!(text, r#"{"q":2,"P[2]:c":0,"a":18446744073709551615}"#);
        assert_eq!(serde_json::from_str::<Longest>(&text).unwrap(), Longest(channels));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let message = serde_json::from_str::<Longest>("[2]").unwrap_err().to_string();
        assert!(message.contains("an object with a number for each channel"), "{message}");
    }
}
