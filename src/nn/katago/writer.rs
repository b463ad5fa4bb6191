//! Writing the tokens and float blocks of a network file: one token per line, as in KataGo.

use std::fmt::Display;

use anyhow::{Result, ensure};

use super::tokens::MAX_TOKEN;
use super::{BINARY_MARK, Form};

/// A file in memory.
pub struct Writer {
    bytes: Vec<u8>,
    form: Form,
    /// The name of the last layer, for messages and for names of its parts.
    layer: String,
}

impl Writer {
    /// An empty file.
    pub fn new(form: Form) -> Writer {
        Writer {
            bytes: Vec::new(),
            form,
            layer: String::from("header"),
        }
    }

    /// The current place, for messages.
    pub fn place(&self) -> String {
        format!("at {:?}", self.layer)
    }

    /// The contents of the file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// A token without blanks.
    pub fn word(&mut self, word: impl Display) {
        self.bytes.extend(format!("{word}\n").bytes());
    }

    /// A name, which later messages mention.
    pub fn name(&mut self, name: &str) -> Result<()> {
        let plain =
            (1..=MAX_TOKEN).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_graphic());
        ensure!(
            plain,
            "{name:?} cannot be the name of a layer in a KataGo file"
        );
        self.layer = name.to_string();
        self.word(name);
        Ok(())
    }

    /// The name of a part of the last layer.
    pub fn part_name(&mut self, part: &str) {
        let name = format!("{}/{part}", self.layer);
        self.word(name);
    }

    /// A flag.
    pub fn flag(&mut self, flag: bool) {
        self.word(flag as u8);
    }

    /// Reserved fields.
    pub fn reserved(&mut self, count: usize) {
        (0..count).for_each(|_| self.word(0));
    }

    /// A number, as a token in both encodings.
    pub fn float(&mut self, float: f32) {
        // The shortest decimal that gives the same f32.
        self.word(format_args!("{float:?}"));
    }

    /// A block of weights.
    pub fn floats(&mut self, floats: &[f32]) {
        match self.form {
            Form::Binary => {
                self.bytes.extend(BINARY_MARK);
                self.bytes
                    .extend(floats.iter().flat_map(|float| float.to_le_bytes()));
            }
            Form::Text => {
                let decimals: Vec<String> =
                    floats.iter().map(|float| format!("{float:?}")).collect();
                self.bytes.extend(decimals.join(" ").bytes());
            }
        }
        self.bytes.push(b'\n');
    }
}
