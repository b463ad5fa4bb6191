//! Symmetric positions: of moves that are images of each other one is searched, and the others
//! are told by it.

use crate::games::go::{code, decode};
use crate::go::{BoardSize, Move, Position, Symmetry};
use crate::search::{MoveCode, MoveReport, Ownership, Report};

/// The symmetries of a position.
#[derive(Clone, Debug)]
pub(super) struct SymmetricMoves {
    size: BoardSize,
    /// All that change nothing, but the identity.
    symmetries: Vec<Symmetry>,
}

impl SymmetricMoves {
    /// None.
    pub(super) fn none(size: BoardSize) -> SymmetricMoves {
        let symmetries = Vec::new();
        SymmetricMoves { size, symmetries }
    }

    /// Those of a position. It has none where the past forbids moves.
    pub(super) fn of(position: &Position) -> SymmetricMoves {
        let size = position.size();
        let is_free = position.ko().is_none()
            && position.encore().is_none()
            && size
                .points()
                .all(|point| !position.is_superko_banned(point));
        let keeps_all = |symmetry: &Symmetry| {
            let board = position.board();
            *symmetry != Symmetry::IDENTITY
                && symmetry.size(size) == size
                && board.points().all(|point| {
                    board.color_at(point) == board.color_at(symmetry.point(size, point))
                })
        };
        match is_free {
            true => SymmetricMoves {
                size,
                symmetries: Symmetry::all().filter(keeps_all).collect(),
            },
            false => SymmetricMoves::none(size),
        }
    }

    /// Groups of legal moves that are each other's images, each beginning with the one that stands
    /// for all: the rightmost, then uppermost.
    pub(super) fn groups(&self, position: &Position) -> Vec<Vec<MoveCode>> {
        if self.symmetries.is_empty() {
            return Vec::new();
        }
        let mut groups = Vec::new();
        for mv in position.legal_moves() {
            let mut group: Vec<Move> = self.images(mv).map(|(_, image)| image).collect();
            group.push(mv);
            group.sort_by_key(|&mv| std::cmp::Reverse(rank(mv)));
            group.dedup();
            if group[0] == mv && group.len() > 1 {
                groups.push(group.into_iter().map(code).collect());
            }
        }
        groups
    }

    /// A move and its images, in the order of their codes.
    pub(super) fn images_of(&self, mv: MoveCode) -> Vec<MoveCode> {
        let mut images = vec![mv];
        images.extend(self.images(decode(mv)).map(|(_, image)| code(image)));
        images.sort_unstable();
        images.dedup();
        images
    }

    /// Has a report tell of the images of its moves too, each behind the move it is told by.
    pub(super) fn fill_in(&self, report: &mut Report) {
        if self.symmetries.is_empty() {
            return;
        }
        let told = std::mem::take(&mut report.moves);
        for mv in told {
            let mut known = vec![mv.code];
            let mut images = Vec::new();
            for (symmetry, image) in self.images(decode(mv.code)) {
                if !known.contains(&code(image)) {
                    known.push(code(image));
                    images.push(self.turned(&mv, symmetry));
                }
            }
            report.moves.push(mv);
            report.moves.extend(images);
        }
    }

    fn images(&self, mv: Move) -> impl Iterator<Item = (Symmetry, Move)> + '_ {
        let symmetries = self.symmetries.iter();
        symmetries.map(move |&symmetry| (symmetry, symmetry.apply(self.size, mv)))
    }

    fn turned(&self, mv: &MoveReport, symmetry: Symmetry) -> MoveReport {
        let turn = |mv: MoveCode| code(symmetry.apply(self.size, decode(mv)));
        MoveReport {
            code: turn(mv.code),
            twin_of: Some(mv.code),
            pv: mv.pv.iter().map(|&step| turn(step)).collect(),
            ownership: mv.ownership.as_ref().map(|ownership| Ownership {
                mean: self.turned_map(&ownership.mean, symmetry),
                stdev: self.turned_map(&ownership.stdev, symmetry),
            }),
            ..mv.clone()
        }
    }

    /// Figures of points, row by row from the top left, as seen by a symmetry.
    fn turned_map<T: Copy>(&self, map: &[T], symmetry: Symmetry) -> Vec<T> {
        let back = symmetry.inverse();
        let source = |point| map[self.size.index(back.point(self.size, point))];
        self.size.points().map(source).collect()
    }
}

/// Of moves that are images of each other, the one with the highest rank stands for all.
fn rank(mv: Move) -> (usize, usize) {
    mv.point()
        .map_or((0, 0), |point| (1 + point.column(), point.row()))
}
