//! Identities of positions: for the ko rule, and for caches of evaluations.

use super::super::color::Color;
use super::super::point::Point;
use super::super::rules::KoRule;
use super::super::zobrist;
use super::{GameEnd, Position};

// Kinds of numbers hashed into keys.
const KEY_TURN: u8 = 0;
const KEY_FLAGS: u8 = 1;
const KEY_ENDS: u8 = 2;
const KEY_KOMI: u8 = 3;
const KEY_RULES: u8 = 4;
const KEY_SIZE: u8 = 5;
const KEY_RECENT: u8 = 6;
const KEY_LAWFUL: u8 = 7;

impl Position {
    /// Identity of the situation for the current ko rule: the stones, blocked kos of the encore,
    /// and, unless superko is positional, the player to move.
    pub fn situation_key(&self) -> u128 {
        self.key_of(self.board.hash(), self.status.to_move)
    }

    /// The identity compared by the ko rule: see [`Position::situation_key`].
    pub(super) fn key_of(&self, stones: u128, to_move: Color) -> u128 {
        let blocked = self
            .encore
            .as_ref()
            .map_or(0, |encore| encore.blocked_hash());
        let positional = self.rules.ko == KoRule::Positional && self.status.phase == 0;
        let turn = if positional {
            0
        } else {
            zobrist::number(KEY_TURN, to_move as u64)
        };
        stones ^ blocked ^ turn
    }

    /// Identity for caches of evaluations: all inputs of KataGo's networks, including the last five
    /// moves, and what the rules forbid or let end now. Positions with equal keys may share an
    /// evaluation; future superko bans may differ.
    pub fn key(&self) -> u128 {
        self.state_key() ^ self.recent_key()
    }

    /// As [`Position::key`], for networks that see more boards: those before so many last moves.
    pub fn long_key(&self, boards: usize) -> u128 {
        let earlier = self.keys.iter().rev().skip(1).take(boards);
        let shown = self.turns.len().min(boards);
        let start = self.key() ^ zobrist::number(KEY_RECENT, 1 << 48 | shown as u64);
        earlier.enumerate().fold(start, |key, (age, earlier)| {
            key ^ earlier.rotate_left(17 + age as u32)
        })
    }

    /// Identity of the position without its history: the board, the player to move, and what the
    /// rules forbid or let end now. Future superko bans may differ.
    pub fn state_key(&self) -> u128 {
        let status = &self.status;
        let mut key = self.board.hash() ^ zobrist::number(KEY_TURN, status.to_move as u64);
        if let Some(ko) = self.board.ko() {
            key ^= zobrist::mark(ko).rotate_left(1);
        }
        for point in self.superko_banned().iter() {
            key ^= zobrist::mark(point).rotate_left(2);
        }
        if let Some(encore) = &self.encore {
            key ^= encore.hash();
        }
        let flags = [
            status.button,
            self.is_finished(),
            status.end == GameEnd::Passed,
            self.encore_allowed,
        ]
        .iter()
        .fold(u64::from(status.phase), |bits, &flag| {
            bits << 1 | u64::from(flag)
        });
        key ^= zobrist::number(KEY_FLAGS, flags << 16 | u64::from(status.passes.min(3)));
        key ^= zobrist::number(KEY_ENDS, u64::from(self.pass_would_end_phase()));
        key ^= zobrist::number(KEY_KOMI, (self.komi.half() + self.bonus_half()) as u64);
        key ^= zobrist::number(KEY_RULES, self.rules.code());
        let size = self.size();
        key ^ zobrist::number(KEY_SIZE, (size.width() * 64 + size.height()) as u64)
    }

    /// The last five moves and the two positions before this one.
    fn recent_key(&self) -> u128 {
        let shown = self.status.valid_turns.min(5);
        let mut key = 0;
        for (age, turn) in self.turns.iter().rev().take(shown).enumerate() {
            let place = turn.mv.point().map_or(0, Point::raw) * 2 + turn.color as usize;
            key ^= zobrist::number(KEY_RECENT, (age as u64) << 32 | place as u64);
        }
        // One old input version does not include moves before an illegal one.
        let lawful = self.lawful_turns().min(shown);
        if lawful < shown {
            key ^= zobrist::number(KEY_LAWFUL, lawful as u64);
        }
        let earlier = self.keys.iter().rev().skip(1).take(shown.min(2));
        earlier.enumerate().fold(key, |key, (age, earlier)| {
            key ^ earlier.rotate_left(7 + age as u32)
        })
    }
}
