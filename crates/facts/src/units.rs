//! Formats quantities as Facter does.

/// An amount of bytes: `512 bytes`, `1.94 GiB`.
///
/// ```
/// assert_eq!(ordain_facts::units::bytes(2_000_000), "1.91 MiB");
/// ```
pub fn bytes(amount: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if amount < 1024 {
        return format!("{amount} bytes");
    }
    let mut scaled = amount as f64 / 1024.0;
    let mut unit = "";
    for next in UNITS {
        if !unit.is_empty() {
            // A number that would round to 1024.00 belongs to the next unit.
            if (scaled * 100.0).round() < 102_400.0 {
                break;
            }
            scaled /= 1024.0;
        }
        unit = next;
    }
    format!("{:.2} {unit}", (scaled * 100.0).round() / 100.0)
}

/// A frequency: `2.50 GHz`.
///
/// ```
/// assert_eq!(ordain_facts::units::hertz(2_499_000_000), "2.50 GHz");
/// ```
pub fn hertz(frequency: u64) -> String {
    const PREFIXES: [&str; 4] = ["k", "M", "G", "T"];
    let mut scaled = frequency as f64;
    let mut prefix = "";
    for next in PREFIXES {
        if scaled < 1000.0 {
            break;
        }
        scaled /= 1000.0;
        prefix = next;
    }
    format!("{scaled:.2} {prefix}Hz")
}

/// A fraction in percent with two digits: `13.93%`.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0.00%".into();
    }
    format!("{:.2}%", part as f64 / whole as f64 * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_take_the_unit_that_fits() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1024), "1.00 KiB");
        assert_eq!(bytes(1024 * 1024 - 1), "1.00 MiB");
        assert_eq!(bytes(25_276_063_744), "23.54 GiB");
        assert_eq!(bytes(u64::MAX), "16.00 EiB");
        assert_eq!(hertz(800), "800.00 Hz");
        assert_eq!(share(467_415_040, 25_276_063_744), "1.85%");
        assert_eq!(share(1, 0), "0.00%");
    }
}
