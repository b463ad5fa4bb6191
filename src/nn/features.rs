//! Network inputs from positions. This file has version 7 (KataGo model versions 8 and later);
//! [`older`] has the others, [`seed`] those of the smallest net.
//!
//! Planes are 1 or 0 at each point, from the point of view of the player to move; so are the global
//! values. History is limited to alternating moves of the current phase of the game, and by the
//! settings.

use std::borrow::Cow;

use crate::go::area::{AreaMap, ScoredArea, scored_area};
use crate::go::{Board, BoardSize, Color, KoRule, Move, Point, Position, Scoring, Tax};

use super::desc::InputVersion;

pub mod hu;
mod ladders;
pub mod leela;
mod older;
mod seed;

use ladders::write_laddered;
pub use older::known_rules;
pub use seed::{SEED_PLANES, seed_planes};

/// Number of planes of version 7.
pub const PLANES: usize = 22;
/// Number of global values of version 7.
pub const GLOBALS: usize = 19;
/// Maximal length of the history.
pub const MAX_HISTORY: usize = 5;

/// Inputs of several positions on boards of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct InputBatch {
    /// Of all boards.
    pub size: BoardSize,
    /// `[position][y][x][plane]`, the top row first.
    pub spatial: Vec<f32>,
    /// `[position][value]`.
    pub global: Vec<f32>,
    /// `[position][value]`, see [`super::metadata`]; empty for nets without such inputs.
    pub metadata: Vec<f32>,
}

impl InputBatch {
    /// Inputs of one position, for nets without inputs about the players.
    pub fn of(
        version: InputVersion,
        position: &Position,
        settings: &FeatureSettings,
    ) -> InputBatch {
        let (planes, values) = version.channels();
        let mut inputs = InputBatch {
            size: position.size(),
            spatial: vec![0.0; position.size().area() * planes],
            global: vec![0.0; values],
            metadata: Vec::new(),
        };
        write(
            version,
            position,
            settings,
            &mut inputs.spatial,
            &mut inputs.global,
        );
        inputs
    }

    /// Concatenates inputs, of boards of one size; at least one.
    pub fn joined<'a>(inputs: &[&'a InputBatch]) -> Cow<'a, InputBatch> {
        if let [single] = inputs {
            return Cow::Borrowed(single);
        }
        let all = |values: fn(&InputBatch) -> &[f32]| -> Vec<f32> {
            let parts: Vec<&[f32]> = inputs.iter().map(|input| values(input)).collect();
            parts.concat()
        };
        Cow::Owned(InputBatch {
            size: inputs[0].size,
            spatial: all(|input| &input.spatial),
            global: all(|input| &input.global),
            metadata: all(|input| &input.metadata),
        })
    }
}

/// Input settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureSettings {
    /// Hide that a pass would end the game, so that the net does not rely on it.
    pub conservative_pass: bool,
    /// The same, if the game would then be lost.
    pub hide_losing_pass: bool,
    /// Maximal length of the history.
    pub max_history: usize,
    /// Playout-doubling advantage of Black: log2 of the ratio of playouts.
    pub playout_doubling_advantage: f32,
    /// Value of a draw for White, from 0 to 1 wins.
    pub draw_value: f32,
    /// Whether pass-alive areas assume that suicide is legal, whatever the rules.
    pub pass_alive_under_suicide: bool,
}

impl Default for FeatureSettings {
    fn default() -> FeatureSettings {
        FeatureSettings {
            conservative_pass: false,
            hide_losing_pass: false,
            max_history: MAX_HISTORY,
            playout_doubling_advantage: 0.0,
            draw_value: 0.5,
            pass_alive_under_suicide: false,
        }
    }
}

/// The planes of one position, writable in any order.
struct Planes<'a> {
    size: BoardSize,
    values: &'a mut [f32],
}

impl Planes<'_> {
    fn mark(&mut self, plane: usize, point: Point) {
        self.values[self.size.index(point) * PLANES + plane] = 1.0;
    }

    /// The values of each point in turn.
    fn of_points(&mut self) -> impl Iterator<Item = (&mut [f32; PLANES], Point)> {
        self.values
            .as_chunks_mut()
            .0
            .iter_mut()
            .zip(self.size.points())
    }

    fn mark_all(&mut self, plane: usize, points: impl IntoIterator<Item = Point>) {
        for point in points {
            self.mark(plane, point);
        }
    }
}

/// Writes the planes `[y][x][plane]` and global values of a position. The slices must have the
/// lengths of [`InputVersion::channels`] for one position.
pub fn write(
    version: InputVersion,
    position: &Position,
    settings: &FeatureSettings,
    spatial: &mut [f32],
    global: &mut [f32],
) {
    let (planes, values) = version.channels();
    let points = position.size().area();
    assert_eq!(spatial.len(), points * planes, "planes of one position");
    assert_eq!(global.len(), values, "values of one position");
    spatial.fill(0.0);
    global.fill(0.0);
    match version {
        InputVersion::V3 | InputVersion::V4 => {
            older::write_v3_or_v4(version, position, settings, spatial, global);
        }
        InputVersion::V5 => older::write_v5(position, settings, spatial, global),
        InputVersion::V6 => older::write_v6(position, settings, spatial, global),
        InputVersion::LeelaZero => leela::write_leela(position, spatial),
        InputVersion::V7 => {
            write_modern(position, settings, position.valid_turns(), spatial, global);
        }
        InputVersion::Seed => seed::write_seed(position, settings, spatial),
        InputVersion::Hu => hu::write_hu(position, spatial),
        // Such a network sees nothing of Go.
        InputVersion::OfGame { .. } => {}
    }
}

/// Version 7, with at most `turns` moves of history.
fn write_modern(
    position: &Position,
    settings: &FeatureSettings,
    turns: usize,
    spatial: &mut [f32],
    global: &mut [f32],
) {
    let suicide = position.rules().suicide || settings.pass_alive_under_suicide;
    let area = scored_area(position, suicide);
    let pass_hidden = hides_pass(position, settings, area.as_ref());
    let limit = history_limit(position, settings, pass_hidden);
    let history = alternating_moves(position, limit.min(turns));
    let mut planes = Planes {
        size: position.size(),
        values: spatial,
    };
    write_stones(position.board(), position.to_move(), &mut planes);
    write_bans(position, &mut planes);
    write_moves(&history, &mut planes, global);
    write_laddered(position, history.len(), &mut planes);
    if let Some(area) = area {
        write_owners(position, &area.map, &mut planes);
    }
    write_second_start(position, &mut planes);
    write_rules(position, settings, global);
    global[14] = (position.pass_would_end_phase() && !pass_hidden) as u8 as f32;
}

/// Whether to hide that a pass would end the game.
fn hides_pass(position: &Position, settings: &FeatureSettings, area: Option<&ScoredArea>) -> bool {
    let rules = position.rules();
    let friendly = rules.friendly_pass_ok
        && rules.scoring == Scoring::Area
        && position.pass_would_end_by_agreement();
    let is_lost = || {
        let lead = |area: &ScoredArea| area.lead_for(position.to_move()) as f32;
        area.is_some_and(|area| lead(area) + self_komi(position, settings) <= 0.0)
    };
    position.pass_would_end_game()
        && (settings.conservative_pass || friendly || (settings.hide_losing_pass && is_lost()))
}

/// Maximal history that may be shown by the settings.
fn history_limit(position: &Position, settings: &FeatureSettings, pass_hidden: bool) -> usize {
    let limit = match () {
        _ if pass_hidden => 0,
        _ if position.is_over() => 1,
        _ => MAX_HISTORY,
    };
    limit.min(settings.max_history)
}

/// The last moves, at most `limit`, as far as they alternate; newest first.
fn alternating_moves(position: &Position, limit: usize) -> Vec<Move> {
    let mut expected = !position.to_move();
    let alternates = |&(color, _): &(Color, Move)| {
        let fits = color == expected;
        expected = !expected;
        fits
    };
    let moves = position.moves().rev().take(limit).take_while(alternates);
    moves.map(|(_, mv)| mv).collect()
}

/// Planes 0 to 5: the board, own and opposing stones, chains with one, two and three liberties.
fn write_stones(board: &Board, to_move: Color, planes: &mut Planes) {
    for (values, point) in planes.of_points() {
        values[0] = 1.0;
        if let Some(color) = board.color_at(point) {
            values[if color == to_move { 1 } else { 2 }] = 1.0;
            let liberties = board.liberties(point);
            if liberties <= 3 {
                values[2 + liberties] = 1.0;
            }
        }
    }
}

/// Planes 6 and 7: points that ko rules forbid, and kos blocked in the encore.
fn write_bans(position: &Position, planes: &mut Planes) {
    planes.mark_all(6, position.superko_banned().iter());
    if position.phase() == 0 {
        planes.mark_all(6, position.ko());
    }
    if let Some(encore) = position.encore() {
        planes.mark_all(7, encore.blocked().iter());
    }
}

/// Planes 9 to 13 and values 0 to 4: the history.
fn write_moves(history: &[Move], planes: &mut Planes, global: &mut [f32]) {
    for (age, mv) in history.iter().enumerate() {
        match *mv {
            Move::Play(point) => planes.mark(9 + age, point),
            Move::Pass => global[age] = 1.0,
        }
    }
}

/// Planes 18 and 19: areas of both sides.
fn write_owners(position: &Position, area: &AreaMap, planes: &mut Planes) {
    let to_move = position.to_move();
    for (values, point) in planes.of_points() {
        if let Some(owner) = area.owner(point) {
            values[if owner == to_move { 18 } else { 19 }] = 1.0;
        }
    }
}

/// Planes 20 and 21: stones at the start of the second clean-up phase.
fn write_second_start(position: &Position, planes: &mut Planes) {
    let to_move = position.to_move();
    if let Some(encore) = position.encore() {
        for (plane, color) in [(20, to_move), (21, !to_move)] {
            planes.mark_all(
                plane,
                encore
                    .second_start(color)
                    .into_iter()
                    .flat_map(|s| s.iter()),
            );
        }
    }
}

/// Values from 5 on except 14: komi, rules, phase, playout-doubling advantage, button.
fn write_rules(position: &Position, settings: &FeatureSettings, global: &mut [f32]) {
    let rules = position.rules();
    let area = position.size().area() as f32;
    let komi = self_komi(position, settings).clamp(-area - 20.0, area + 20.0);
    let advantage = match position.to_move() {
        Color::Black => settings.playout_doubling_advantage,
        Color::White => -settings.playout_doubling_advantage,
    };
    let flag = |is_set: bool| is_set as u8 as f32;
    global[5] = komi / 20.0;
    (global[6], global[7]) = ko_values(rules.ko);
    global[8] = flag(rules.suicide);
    global[9] = flag(rules.scoring == Scoring::Territory);
    global[10] = flag(rules.tax != Tax::None);
    global[11] = flag(rules.tax == Tax::All);
    global[12] = flag(position.phase() >= 1);
    global[13] = flag(position.phase() >= 2);
    global[15] = flag(advantage != 0.0);
    global[16] = 0.5 * advantage;
    global[17] = flag(position.has_button());
    if rules.scoring == Scoring::Area || position.phase() >= 2 {
        global[18] = parity_wave(komi, position.size().area());
    }
}

fn ko_values(rule: KoRule) -> (f32, f32) {
    match rule {
        KoRule::Simple => (0.0, 0.0),
        KoRule::Positional => (1.0, 0.5),
        KoRule::Situational => (1.0, -0.5),
    }
}

/// Komi and bonuses for the player to move, in points, including the value of a draw.
fn self_komi(position: &Position, settings: &FeatureSettings) -> f32 {
    let white = if position.can_be_drawn() {
        settings.draw_value - 0.5
    } else {
        0.0
    };
    let own = if position.to_move() == Color::White {
        white
    } else {
        -white
    };
    position.self_komi() + own
}

/// Distance of komi from the nearest value with the parity of area scores, as a triangle wave of
/// period 2: area scores have the parity of the board's area.
fn parity_wave(self_komi: f32, area: usize) -> f32 {
    let odd = (area % 2) as f32;
    let floor = ((self_komi - odd) / 2.0).floor() * 2.0 + odd;
    match (self_komi - floor).clamp(0.0, 2.0) {
        delta if delta < 0.5 => delta,
        delta if delta < 1.5 => 1.0 - delta,
        delta => delta - 2.0,
    }
}
