//! Decoding of labels; any bytes are safe. Encoding the result gives the same bytes.

use anyhow::{Context, Result, bail, ensure};

use crate::go::{BoardSize, Color, HandicapBonus, KoRule, Komi, Rules, Scoring, Tax};
use crate::nn::features::MAX_HISTORY;

use super::super::label::{Label, LabelValues, OWNER_STEPS};
use super::super::line::{Line, MoveCode};
use super::encode::NO_MOVE;
use super::{Header, LabelledLine, LineKind, Shard};

/// Reads an inflated body into a shard without sources and lines.
pub(super) fn body(bytes: &[u8], header: &Header, shard: &mut Shard) -> Result<()> {
    let mut reader = Reader {
        bytes,
        size: header.size,
        has_ownership: header.has_ownership,
    };
    for _ in 0..reader.u8()? {
        let len = reader.u8()?.into();
        let name = str::from_utf8(reader.take(len)?).context("a source whose name is no text")?;
        shard.sources.push(name.to_owned());
    }
    for number in 0..header.lines {
        let line = reader.line().with_context(|| format!("line {number}"))?;
        ensure!(
            usize::from(line.source) < shard.sources.len(),
            "line {number} is of an unknown source"
        );
        shard.lines.push(line);
    }
    ensure!(
        reader.bytes.is_empty(),
        "{} bytes too many",
        reader.bytes.len()
    );
    Ok(())
}

struct Reader<'a> {
    bytes: &'a [u8],
    size: BoardSize,
    has_ownership: bool,
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(len)
            .context("the body is cut off")?;
        self.bytes = rest;
        Ok(taken)
    }

    fn u8(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn u16(&mut self) -> Result<u16> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn i16(&mut self) -> Result<i16> {
        Ok(self.u16()? as i16)
    }

    fn line(&mut self) -> Result<LabelledLine> {
        let source = self.u8()?;
        let kind = match self.u8()? {
            0 => LineKind::Game,
            1 => LineKind::Teacher,
            2 => LineKind::SelfPlay,
            3 => LineKind::Record,
            kind => bail!("unknown kind {kind}"),
        };
        let ending = self.u8()?;
        let winner = match ending & 3 {
            2 => None,
            color => Some(color_of(color)?),
        };
        let decided_for = match ending >> 2 {
            0 => None,
            color => Some(color_of(color - 1)?),
        };
        let first = color_of(self.u8()?)?;
        let [stones, moves, labels] = [self.u16()?, self.u16()?, self.u16()?];
        let stones = self.codes(stones, self.size.area())?;
        let moves = self.codes(moves, self.size.area() + 1)?;
        let line = Line {
            size: self.size,
            first,
            stones,
            moves,
        };
        let labels = (0..labels).map(|_| self.label(line.moves.len()));
        Ok(LabelledLine {
            source,
            kind,
            winner,
            decided_for,
            labels: labels.collect::<Result<_>>()?,
            line,
        })
    }

    /// Moves or stones whose numbers are below a limit.
    fn codes(&mut self, count: u16, limit: usize) -> Result<Vec<MoveCode>> {
        let codes = (0..count).map(|_| {
            let code = MoveCode(self.u16()?);
            ensure!(code.index() < limit, "a move that is not on the board");
            Ok(code)
        });
        codes.collect()
    }

    fn label(&mut self, moves: usize) -> Result<Label> {
        let ply = self.u16()?;
        ensure!(usize::from(ply) <= moves, "a label after the line's end");
        let side_line = self.u8()?.into();
        let side_line = self.codes(side_line, self.size.area() + 1)?;
        let rules = rules_of(self.u16()?)?;
        let half = i32::from(self.i16()?);
        let komi = Komi::from_half(half);
        ensure!(komi.half() == half, "a komi of {half} half points");
        let history = self.u8()?;
        let shown = history & 0x7f;
        ensure!(usize::from(shown) <= MAX_HISTORY, "{shown} moves shown");
        Ok(Label {
            ply,
            side_line,
            rules,
            komi,
            history: shown,
            is_human: history & 0x80 != 0,
            next: self.optional_move()?,
            reply: self.optional_move()?,
            values: self.values()?,
        })
    }

    fn optional_move(&mut self) -> Result<Option<u16>> {
        let index = self.u16()?;
        let is_move = usize::from(index) <= self.size.area();
        ensure!(
            is_move || index == NO_MOVE,
            "a move that is not on the board"
        );
        Ok(Some(index).filter(|_| is_move))
    }

    fn values(&mut self) -> Result<LabelValues> {
        let outcome = [self.u16()?, self.u16()?];
        let lead = self.i16()?;
        let score_mean = self.i16()?;
        let score_stdev = self.u16()?;
        let errors = [self.u8()?, self.u8()?, self.u8()?];
        let rest = self.u8()?;
        let policy = (0..self.u8()?).map(|_| {
            let entry = self.u16()?;
            let (index, code) = (entry & 0x1ff, (entry >> 9) as u8);
            ensure!(
                usize::from(index) <= self.size.area(),
                "a policy beyond the board"
            );
            Ok((index, code))
        });
        Ok(LabelValues {
            outcome,
            lead,
            score_mean,
            score_stdev,
            errors,
            policy: policy.collect::<Result<_>>()?,
            rest,
            ownership: self.ownership()?,
        })
    }

    fn ownership(&mut self) -> Result<Vec<u8>> {
        if !self.has_ownership {
            return Ok(Vec::new());
        }
        let area = self.size.area();
        let packed = self.take(area.div_ceil(2))?;
        let mut ownership: Vec<u8> = packed
            .iter()
            .flat_map(|pair| [pair & 15, pair >> 4])
            .collect();
        let is_padded = ownership[area..].iter().all(|&nothing| nothing == 0);
        ownership.truncate(area);
        let in_range = ownership.iter().all(|&owner| owner <= 2 * OWNER_STEPS);
        ensure!(is_padded && in_range, "an owner out of range");
        Ok(ownership)
    }
}

fn color_of(code: u8) -> Result<Color> {
    match code {
        0 => Ok(Color::Black),
        1 => Ok(Color::White),
        _ => bail!("unknown color {code}"),
    }
}

fn rules_of(code: u16) -> Result<Rules> {
    let bits = |from: u32, mask: u16| usize::from(code >> from & mask);
    let kos = [KoRule::Simple, KoRule::Positional, KoRule::Situational];
    let taxes = [Tax::None, Tax::Seki, Tax::All];
    let bonuses = [
        HandicapBonus::Zero,
        HandicapBonus::N,
        HandicapBonus::NMinusOne,
    ];
    let unknown = || format!("unknown rules {code:#x}");
    ensure!(code >> 10 == 0, unknown());
    Ok(Rules {
        ko: *kos.get(bits(0, 3)).with_context(unknown)?,
        scoring: [Scoring::Area, Scoring::Territory][bits(2, 1)],
        tax: *taxes.get(bits(3, 3)).with_context(unknown)?,
        suicide: bits(5, 1) == 1,
        has_button: bits(6, 1) == 1,
        handicap_bonus: *bonuses.get(bits(7, 3)).with_context(unknown)?,
        friendly_pass_ok: bits(9, 1) == 1,
    })
}
