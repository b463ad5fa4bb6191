//! The name that somebody may have meant.

use super::ParamError;

/// Similarity from which a name may have been meant, from 0 to 1.
const ALIKE: f64 = 0.6;

/// The most similar of some names, if one is similar (Damerau-Levenshtein distance, whatever the case,
/// relative to the length).
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let alike = |known: &str| {
        let known = known.to_lowercase();
        // A name of which only a part was written.
        let is_part = name.len() >= 4 && known.contains(&name);
        let similarity = strsim::normalized_damerau_levenshtein(&name, &known);
        if is_part {
            similarity.max(ALIKE)
        } else {
            similarity
        }
    };
    let names = names.into_iter().map(|known| (alike(known), known));
    let alike = names.filter(|(similarity, _)| *similarity >= ALIKE);
    // Of several of which a part was written, the shortest.
    let best = alike.max_by(|(one, its), (other, others)| {
        let by_length = || others.len().cmp(&its.len());
        one.total_cmp(other).then_with(by_length)
    });
    best.map(|(_, known)| known)
}

/// The message about a name that no parameter has, with the nearest of those that something has.
pub fn unknown_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let error = ParamError::Unknown(name.to_owned());
    match nearest(name, known) {
        Some(nearest) => format!("{error}; did you mean {nearest}?"),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name_is_found_in_spite_of_typos_and_case() {
        let names = ["maxVisits", "maxPlayouts", "cpuctExploration"];
        let found = |name| nearest(name, names);
        assert_eq!(found("maxvisit"), Some("maxVisits"));
        assert_eq!(found("maxPlayuots"), Some("maxPlayouts"));
        assert_eq!(found("exploration"), Some("cpuctExploration"));
        let parts = ["maxVisits", "judgingVisits"];
        assert_eq!(nearest("visit", parts), Some("maxVisits"));
        assert_eq!(found("komi"), None);
    }
}
