//! KataGo's network files, written and read again: nothing may change, and what a version's files
//! cannot hold is refused.

use crate::stored_nets::{assert_same, net, net_names, stored, with_rare_weights};
use keima::files::gzipped;
use keima::nn::desc::{Activation, Block, Net};
use keima::nn::katago::{Form, inflate, read_bytes, write_bytes};

fn refusal(net: &Net) -> String {
    format!("{:#}", write_bytes(net, Form::Binary).unwrap_err())
}

#[test]
fn files_of_all_versions_round_trip() {
    for name in net_names() {
        let net = with_rare_weights(net(&name));
        for form in [Form::Binary, Form::Text] {
            let bytes = write_bytes(&net, form).unwrap();
            assert_same(&read_bytes(&bytes).unwrap(), &net);
            assert_same(&read_bytes(&gzipped(&bytes).unwrap()).unwrap(), &net);
        }
    }
}

/// The files were written by another program, which names parts in another way.
#[test]
fn files_have_the_tokens_that_others_write() {
    for name in ["s3.txt.gz", "s6.txt", "s17b.txt.gz"] {
        let stored = stored(name);
        let theirs = String::from_utf8(inflate(&stored).unwrap().into_owned()).unwrap();
        let ours = write_bytes(&net(name), Form::Text).unwrap();
        let ours = String::from_utf8(ours).unwrap();
        let (ours, theirs): (Vec<&str>, Vec<&str>) = (
            ours.split_whitespace().collect(),
            theirs.split_whitespace().collect(),
        );
        assert_eq!(ours.len(), theirs.len(), "{name}");
        for (ours, theirs) in ours.into_iter().zip(theirs) {
            match (ours.parse::<f32>(), theirs.parse::<f32>()) {
                (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{name}"),
                (ours_as_number, theirs_as_number) => {
                    assert!(
                        ours_as_number.is_err() && theirs_as_number.is_err(),
                        "{name}"
                    );
                    let is_fixed = |word: &str| word.contains("_block") || word.starts_with("ACT");
                    assert!(ours == theirs || !is_fixed(ours), "{name}: {ours} {theirs}");
                }
            }
        }
    }
}

/// KataGo looks for the mark after a single character.
#[test]
fn binary_weights_follow_line_break() {
    let net = net("s8.bin.gz");
    let bytes = write_bytes(&net, Form::Binary).unwrap();
    let marks = bytes
        .windows(6)
        .filter(|window| window == b"\n@BIN@")
        .count();
    assert_eq!(marks, net.tensors().len());
    assert!(bytes.ends_with(b"\n"));
}

#[test]
fn parts_unsupported_by_version_are_refused_by_name() {
    type Change = fn(&mut Net);
    let cases: [(&str, Change, &str); 10] = [
        (
            "s8.bin.gz",
            |net| net.multipliers.lead = 10.0,
            "lead multiplier is 10",
        ),
        (
            "s8.bin.gz",
            |net| net.pass_alive_under_suicide = true,
            "preferPassAliveUnderSuicide",
        ),
        (
            "s8.bin.gz",
            |net| net.heads.pooled_mut().unwrap().value.hidden_activation = Activation::Mish,
            "ACTIVATION_MISH",
        ),
        ("s8.bin.gz", |net| net.version = 9, "score outputs"),
        ("s8.bin.gz", |net| net.version = 18, "newer than 17"),
        (
            "s8.bin.gz",
            |net| net.name = String::from("two words"),
            "name",
        ),
        ("s14.gz", |net| net.version = 15, "need a hidden layer"),
        ("s15.bin.gz", |net| net.version = 14, "no hidden layer"),
        ("s15m.bin.gz", |net| net.version = 14, "no metadata encoder"),
        (
            "s17b.txt.gz",
            |net| (net.version, net.pass_alive_under_suicide) = (14, false),
            "RMS norm",
        ),
    ];
    for (file, change, expected) in cases {
        let mut net = net(file);
        change(&mut net);
        let message = refusal(&net);
        assert!(message.contains(expected), "{file}: {message}");
    }
}

#[test]
fn nets_that_do_not_fit_together_are_refused() {
    let broken = |change: fn(&mut keima::nn::desc::OrdinaryBlock)| {
        let mut net = net("s8.bin.gz");
        let Block::Ordinary(block) = &mut net.trunk.blocks[0] else {
            panic!("the first block is an ordinary one");
        };
        change(block);
        refusal(&net)
    };
    assert!(broken(|block| block.conv_b.weights[3] = f32::NAN).contains("NaN"));
    assert!(broken(|block| block.conv_b.outputs += 1).contains("blocks.0: second convolution"));
    assert!(broken(|block| block.pre.norm.mean.push(0.0)).contains("blocks.0: first norm"));
    assert!(broken(|block| block.conv_b.name.clear()).contains("name of a layer"));
}
