//! Whatever the bytes of a network file, reading it ends with a network or an error.

#![no_main]

use libfuzzer_sys::fuzz_target;

use keima::nn::network::Network;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(network) = Network::read_bytes(bytes) {
        assert!(!network.name().is_empty());
    }
});
