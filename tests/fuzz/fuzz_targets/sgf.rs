//! Whatever the bytes of a game record, reading it ends with a record or an error, what is written
//! of it reads the same, and replaying it ends with a position or an error.

#![no_main]

use libfuzzer_sys::fuzz_target;

use keima::formats::sgf;

fuzz_target!(|bytes: &[u8]| {
    let Ok(record) = sgf::parse(bytes) else {
        return;
    };
    let written = sgf::write(&record);
    let again = sgf::parse(written.as_bytes()).expect("our own file");
    assert_eq!(sgf::write(&again), written);
    let _ = record.position();
});
