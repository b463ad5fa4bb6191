//! Random rules, komi and history lengths for labelled positions.

use rand::seq::{IndexedRandom, index};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

use crate::go::{
    BoardSize, Color, HandicapBonus, KoRule, Komi, Move, Rules, Scoring, Tax, handicap,
};
use crate::nn::features::MAX_HISTORY;

use super::line::{Line, MoveCode};

/// Named rule sets in common use.
const PRESETS: [Rules; 6] = [
    Rules::CHINESE,
    Rules::JAPANESE,
    Rules::CHINESE_SERVER,
    Rules::AGA,
    Rules::NEW_ZEALAND,
    Rules::TROMP_TAYLOR,
];

/// Rules for a position: as recorded, a common rule set, or in half of all cases any combination.
pub fn rules(rng: &mut impl Rng, stated: Option<Rules>) -> Rules {
    match stated {
        _ if rng.random_bool(0.5) => any_rules(rng),
        Some(rules) if rng.random_bool(0.5) => rules,
        _ => *PRESETS.choose(rng).expect("there are presets"),
    }
}

/// All combinations from which KataGo's self-play draws.
fn any_rules(rng: &mut impl Rng) -> Rules {
    let kos = [KoRule::Simple, KoRule::Positional, KoRule::Situational];
    let taxes = [Tax::None, Tax::None, Tax::Seki, Tax::Seki, Tax::All];
    let bonuses = [
        HandicapBonus::Zero,
        HandicapBonus::N,
        HandicapBonus::NMinusOne,
    ];
    let area = rng.random_bool(0.5);
    Rules {
        ko: *kos.choose(rng).expect("some"),
        scoring: if area {
            Scoring::Area
        } else {
            Scoring::Territory
        },
        tax: *taxes.choose(rng).expect("some"),
        suicide: rng.random_bool(0.5),
        has_button: area && rng.random_bool(1.0 / 3.0),
        handicap_bonus: *bonuses.choose(rng).expect("some"),
        friendly_pass_ok: rng.random_bool(0.5),
    }
}

/// Inputs to the choice of komi.
#[derive(Clone, Copy, Debug)]
pub struct KomiBasis {
    /// Board size.
    pub size: BoardSize,
    /// Komi of the game, or the default.
    pub nominal: Komi,
    /// Black's lead without komi, if known.
    pub lead_black: Option<f32>,
}

/// Komi for a position: unchanged (30 %), such that the game is about even (20 %, if the lead is
/// known) or nearly even (20 %), or random, sometimes extreme. Except when unchanged, it is an
/// integer in half of the cases.
///
/// If it made games even more often, a network could infer from komi who is ahead on the board.
pub fn komi(rng: &mut impl Rng, basis: KomiBasis) -> Komi {
    let nominal = f64::from(basis.nominal.points());
    let even = basis.lead_black.map_or(nominal, f64::from);
    let area = basis.size.area() as f64;
    let normal: f64 = StandardNormal.sample(rng);
    let points = match rng.random_range(0..100) {
        0..30 => return basis.nominal,
        30..50 => even + normal,
        50..70 => even + 8.0 * normal,
        70..94 => nominal + 12.0 * normal,
        94..99 => nominal + 45.0 * normal,
        _ if rng.random_bool(0.5) => area,
        _ => -area,
    };
    rounded(rng, points, basis)
}

/// Komi for a whole game: such that the game is even, if the lead is known, or a little off, and
/// sometimes extreme (KataGo's self-play). An integer in half of the cases.
pub fn even_komi(rng: &mut impl Rng, basis: KomiBasis) -> Komi {
    let nominal = f64::from(basis.nominal.points());
    let even = basis.lead_black.map_or(nominal, f64::from);
    let spread = match rng.random::<f64>() {
        x if x < 0.005 => 45.0,
        x if x < 0.065 => 12.0,
        _ => 1.0,
    };
    let normal: f64 = StandardNormal.sample(rng);
    rounded(rng, even + spread * normal, basis)
}

/// Limits komi to the board's area.
fn rounded(rng: &mut impl Rng, points: f64, basis: KomiBasis) -> Komi {
    let area = basis.size.area() as f64;
    let whole = points.clamp(-area, area).round();
    let half = if rng.random_bool(0.5) { 0.5 } else { 0.0 };
    Komi::from_points(whole + half).unwrap_or(basis.nominal)
}

/// Sets two to nine black stones, fewer on tiny boards, on the standard points or at random, with
/// White to move.
pub fn set_handicap(rng: &mut impl Rng, line: &mut Line) {
    let size = line.size;
    let count = rng.random_range(2..=9).min(size.area() / 4);
    let fixed = handicap::fixed(size, count).filter(|_| rng.random_bool(0.5));
    let points = fixed.unwrap_or_else(|| {
        let places = index::sample(rng, size.area(), count);
        places.iter().map(|place| size.point_at(place)).collect()
    });
    let stone = |point| MoveCode::new(size, Color::Black, Move::Play(point));
    line.stones = points.into_iter().map(stone).collect();
    line.first = Color::White;
}

/// Maximal length of the history: sometimes none, or fewer moves than available.
pub fn history(rng: &mut impl Rng) -> usize {
    if rng.random_bool(0.05) {
        return 0;
    }
    (0..MAX_HISTORY)
        .take_while(|_| !rng.random_bool(0.02))
        .count()
}

/// Recorded komi if it is plausible, else the default.
pub fn nominal_komi(stated: Option<Komi>, rules: &Rules) -> Komi {
    let sensible = |komi: &Komi| komi.half().abs() <= 60;
    stated
        .filter(sensible)
        .unwrap_or_else(|| rules.usual_komi())
}
