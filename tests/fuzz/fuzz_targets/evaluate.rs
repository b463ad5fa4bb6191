//! Whatever network a file holds, if it can be read, asking it ends with figures or an error.

#![no_main]

use libfuzzer_sys::fuzz_target;

use keima::go::{BoardSize, Komi, Position, Rules, Symmetry};
use keima::nn::backend::{DeviceChoice, Precision, open};
use keima::nn::evaluator::{NetSettings, Question};
use keima::nn::network::Network;

fuzz_target!(|bytes: &[u8]| {
    let Ok(network) = Network::read_bytes(bytes) else {
        return;
    };
    let opened = open(DeviceChoice::Cpu, Precision::F32).expect("there is a CPU");
    let Ok(evaluator) = network.evaluator(&opened.backend, NetSettings::default()) else {
        return;
    };
    let komi = Komi::from_half(15);
    let position = Position::new(BoardSize::square(5), Rules::TROMP_TAYLOR, komi);
    if let Ok(output) = evaluator.ask(&position, &Question::raw(Symmetry::IDENTITY)) {
        assert!(output.policy.iter().all(|chance| chance.is_finite()));
        assert!(output.win.is_finite() && output.lead.is_finite());
    }
});
