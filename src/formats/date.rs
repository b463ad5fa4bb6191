//! Days of the calendar as records and logs write them, in coordinated universal time.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today, with this between year, month and day: SGF has `-`, PGN and PDN `.`.
pub fn today(separator: char) -> String {
    text(SystemTime::now(), separator)
}

/// The day of a time; the first of 1970 for all before.
pub fn text(time: SystemTime, separator: char) -> String {
    let since_1970 = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = date(since_1970.as_secs() / 86_400);
    format!("{year}{separator}{month:02}{separator}{day:02}")
}

/// Year, month and day of a day since 1970, by the Gregorian calendar (Howard Hinnant, "chrono-compatible
/// low-level date algorithms"): years begin in March, so that the leap day is their last.
fn date(day_since_1970: u64) -> (u64, u64, u64) {
    // Days from March 1 of the year 0 to January 1, 1970.
    let day = day_since_1970 + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}
