//! Inputs of versions 3 to 6 (KataGo model versions 3 to 7), as far as they differ.
//!
//! Nets of versions 3 to 5 only know area scoring with superko. Under other rules they get the
//! inputs of the nearest known rules ([`known_rules`]), so inputs about territory scoring stay 0.

use crate::go::area::{AreaParts, area};
use crate::go::{KoRule, Move, Position, Rules, Scoring, Tax};

use super::super::desc::InputVersion;
use super::{
    FeatureSettings, GLOBALS, MAX_HISTORY, PLANES, Planes, alternating_moves, ko_values,
    parity_wave, self_komi, write_laddered, write_modern, write_moves, write_owners, write_stones,
};

/// Values of version 3, which version 4 shares.
const GLOBALS_V3: usize = 14;
/// The planes of version 4 that version 5 has: no liberties, ladders and areas.
const PLANES_V5: [usize; 13] = [0, 1, 2, 6, 7, 8, 9, 10, 11, 12, 13, 20, 21];

/// The nearest rule set known to nets of an input version: KataGo's choices.
pub fn known_rules(version: InputVersion, rules: &Rules) -> Rules {
    match version {
        InputVersion::V6
        | InputVersion::V7
        | InputVersion::LeelaZero
        | InputVersion::Seed
        | InputVersion::Hu
        | InputVersion::OfGame { .. } => *rules,
        InputVersion::V3 | InputVersion::V4 | InputVersion::V5 => Rules {
            ko: match rules.ko {
                KoRule::Positional => KoRule::Positional,
                KoRule::Simple | KoRule::Situational => KoRule::Situational,
            },
            scoring: Scoring::Area,
            tax: Tax::None,
            has_button: false,
            ..*rules
        },
    }
}

/// Version 6: as version 7, but without moves before an illegal one, playout-doubling advantage and
/// button.
pub fn write_v6(
    position: &Position,
    settings: &FeatureSettings,
    spatial: &mut [f32],
    global: &mut [f32],
) {
    let mut modern = [0.0; GLOBALS];
    let turns = position.lawful_turns();
    write_modern(position, settings, turns, spatial, &mut modern);
    let komi = clipped_komi(position, settings);
    global.copy_from_slice(&modern[..global.len()]);
    global[5] = komi / 20.0;
    global[15] = 0.0;
    if position.rules().scoring == Scoring::Area || position.phase() >= 2 {
        global[15] = parity_wave(komi, position.size().area());
    }
}

/// Versions 3 and 4, which differ in their area planes.
pub fn write_v3_or_v4(
    version: InputVersion,
    position: &Position,
    settings: &FeatureSettings,
    spatial: &mut [f32],
    global: &mut [f32],
) {
    let rules = known_rules(version, position.rules());
    let history = shown_history(position, settings);
    let mut planes = Planes {
        size: position.size(),
        values: spatial,
    };
    write_stones(position.board(), position.to_move(), &mut planes);
    planes.mark_all(6, position.superko_banned().iter());
    planes.mark_all(6, position.ko());
    let shown = history.as_deref().unwrap_or_default();
    write_moves(shown, &mut planes, global);
    write_laddered(position, shown.len(), &mut planes);
    let certain = AreaParts {
        stones: false,
        safe_big: true,
        unsafe_big: false,
    };
    let parts = match version {
        InputVersion::V3 => AreaParts::ALL,
        _ => certain,
    };
    let map = area(position.board(), parts, rules.suicide);
    write_owners(position, &map, &mut planes);
    let komi = clipped_komi(position, settings);
    global[5] = komi / 15.0;
    (global[6], global[7]) = ko_values(rules.ko);
    global[8] = rules.suicide as u8 as f32;
    global[12] = (position.pass_would_end_phase() && history.is_some()) as u8 as f32;
    global[13] = parity_wave(komi, position.size().area());
}

/// Version 5: a subset of version 4.
pub fn write_v5(
    position: &Position,
    settings: &FeatureSettings,
    spatial: &mut [f32],
    global: &mut [f32],
) {
    let mut planes = vec![0.0; position.size().area() * PLANES];
    let mut values = [0.0; GLOBALS_V3];
    write_v3_or_v4(
        InputVersion::V4,
        position,
        settings,
        &mut planes,
        &mut values,
    );
    let points = spatial.chunks_exact_mut(PLANES_V5.len());
    for (to, from) in points.zip(planes.chunks_exact(PLANES)) {
        for (value, plane) in to.iter_mut().zip(PLANES_V5) {
            *value = from[plane];
        }
    }
    global.copy_from_slice(&values[..global.len()]);
}

/// The last moves, newest first; none if it must be hidden that a pass ends the game, or if the
/// game is over.
fn shown_history(position: &Position, settings: &FeatureSettings) -> Option<Vec<Move>> {
    let friendly = position.rules().friendly_pass_ok && position.pass_would_end_by_agreement();
    let is_pass_hidden =
        position.pass_would_end_phase() && (settings.conservative_pass || friendly);
    let has_ended = position.is_over() || position.passes() >= 2;
    let is_shown = !has_ended && !is_pass_hidden;
    is_shown.then(|| alternating_moves(position, MAX_HISTORY))
}

/// Komi and bonuses for the player to move, as these nets get them.
fn clipped_komi(position: &Position, settings: &FeatureSettings) -> f32 {
    let most = position.size().area() as f32 + 1.0;
    self_komi(position, settings).clamp(-most, most)
}
