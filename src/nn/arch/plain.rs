//! Nets without residual connections, whose trunk is a stack of convolutions.

use super::{Arch, BlockKind, FLAT_AREA, FlatWidths, PlainShape};
use crate::nn::desc::{GameInputs, InputVersion};

/// keima's own small net.
const SEED: &str = "seed-9x9";
/// Sides of the kernels, and channels after each convolution.
const SEED_LAYERS: [Layer; 3] = [(3, 32), (3, 64), (3, 128)];

/// The net of a bachelor's thesis: the same convolutions, other planes, fully connected heads.
const HU: &str = "hu-9x9";
const HU_POLICY: [usize; 3] = [8, 256, FLAT_AREA + 1];
const HU_VALUE: [usize; 4] = [4, 128, 64, 1];

/// Policy nets of Bako's paper on five in a row. There the last of the convolutions has one output, the policy; here
/// its outputs are [`BAKO_LAST`] channels, which policy and value heads like those of towers read, and it sees as far.
#[rustfmt::skip]
const BAKO: [(&str, &[Layer]); 5] = [
    ("bako-l2", &[(5, 256), (3, BAKO_LAST)]),
    ("bako-l3", &[(3, 64), (3, 128), (3, BAKO_LAST)]),
    ("bako-l4", &[(3, 64), (5, 64), (5, 32), (3, BAKO_LAST)]),
    ("bako-l5", &[(3, 32), (5, 64), (5, 64), (3, 32), (3, BAKO_LAST)]),
    ("bako-l6", &[(3, 32), (3, 64), (3, 64), (3, 32), (3, 32), (3, BAKO_LAST)]),
];
const BAKO_LAST: usize = 32;
/// Their inputs: where the board is, stones of both sides, who is to move.
const BAKO_INPUTS: (&str, usize, usize) = ("gomoku-stones-1", 3, 1);

/// Side of a kernel, and channels after the convolution.
type Layer = (usize, usize);

impl Arch {
    /// The architecture of this name, if it is one of these.
    pub(super) fn of_convolutions(name: &str) -> Option<Arch> {
        match name {
            SEED => Some(Arch::stack(SEED, &SEED_LAYERS, InputVersion::Seed)),
            HU => Some(Arch {
                flat_heads: Some(FlatWidths {
                    policy: HU_POLICY.to_vec(),
                    value: HU_VALUE.to_vec(),
                }),
                ..Arch::stack(HU, &SEED_LAYERS, InputVersion::Hu)
            }),
            _ => {
                let (name, layers) = BAKO.iter().find(|(its, _)| *its == name)?;
                let (inputs, planes, values) = BAKO_INPUTS;
                Some(Arch {
                    game_inputs: Some(GameInputs {
                        name: inputs.to_owned(),
                        planes,
                        values,
                    }),
                    ..Arch::stack(name, layers, InputVersion::OfGame { planes, values })
                })
            }
        }
    }

    /// Its heads are as wide as those of towers with the width of the last convolution.
    fn stack(name: &str, layers: &[Layer], inputs: InputVersion) -> Arch {
        let block = |pair: &[Layer]| {
            BlockKind::Plain(PlainShape {
                side: pair[1].0,
                inputs: pair[0].1,
                outputs: pair[1].1,
            })
        };
        let [(stem_side, channels), .., (_, last)] = *layers else {
            unreachable!("all have several convolutions");
        };
        Arch {
            inputs,
            stem_side,
            channels,
            blocks: layers.windows(2).map(block).collect(),
            ..Arch::tower(name, 1, last)
        }
    }
}
