//! Times, sizes and numbers of threads, as they are written on the command line.

use std::time::Duration;

/// A number of threads.
pub(super) fn jobs(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) | Err(_) => Err(format!("`{text}` is not a number of threads: use 1 or more")),
        Ok(jobs) => Ok(jobs),
    }
}

/// `90s`, `1.5m`, `500ms`, `2h`; a number alone is seconds; `none` is no limit.
pub fn duration(text: &str) -> Result<Duration, String> {
    if text == "none" {
        return Ok(Duration::MAX);
    }
    let (number, unit) = split_unit(text);
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time: use ms, s, m or h")),
    };
    let value: f64 = number.parse().map_err(|_| format!("`{text}` is not a time: write it like `60s` or `5m`"))?;
    Duration::try_from_secs_f64(value * seconds).map_err(|_| format!("`{text}` is too long a time"))
}

/// `500MiB`, `4GiB`, `1GB`, bytes for a number alone; `none` is without a limit.
pub fn size(text: &str) -> Result<u64, String> {
    if text == "none" {
        return Ok(u64::MAX);
    }
    let (number, unit) = split_unit(text);
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err(format!("`{unit}` is not a unit of size: use KiB, MiB or GiB")),
    };
    let wrong = || format!("`{text}` is not a size: write it like `500MiB` or `4GiB`");
    match number.parse::<u64>() {
        Ok(value) => value.checked_mul(factor).ok_or_else(wrong),
        Err(_) => {
            let value: f64 = number.parse().map_err(|_| wrong())?;
            if !(0.0..=1e6).contains(&value) {
                return Err(wrong());
            }
            Ok((value * factor as f64) as u64)
        }
    }
}

fn split_unit(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    (text[..end].trim(), text[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_read_with_their_units() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert!(duration("5 parsecs").is_err());
        assert!(duration("-1s").is_err());
        assert_eq!(size("500MiB"), Ok(500 << 20));
        assert_eq!(size("0.5GiB"), Ok(512 << 20));
        assert!(size("lots").is_err());
    }
}
