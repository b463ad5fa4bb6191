//! Engines in this process, for matches between configurations of this program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::go::{BoardSize, Rules};
use crate::gtp::client::ClientError;
use crate::gtp::controller::Connection;
use crate::gtp::engine::{Engine, Identity};
use crate::player::Player;

/// An engine that is called directly. Timeouts are ignored.
pub struct LocalEngine {
    engine: Engine,
    /// Once this is set commands are refused.
    stop: Arc<AtomicBool>,
}

impl LocalEngine {
    /// A player under a name, with an empty board.
    pub fn new(name: &str, player: Box<dyn Player>, stop: Arc<AtomicBool>) -> LocalEngine {
        let identity = Identity {
            name: name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let (size, rules) = (BoardSize::square(19), Rules::TROMP_TAYLOR);
        LocalEngine {
            engine: Engine::new(player, identity, size, rules, rules.usual_komi()),
            stop,
        }
    }
}

impl Connection for LocalEngine {
    fn send(&mut self, command: &str) -> Result<String, ClientError> {
        let refused = |message: &str| ClientError::Refused {
            command: command.to_owned(),
            message: message.to_owned(),
        };
        if self.stop.load(Ordering::Relaxed) {
            return Err(refused("interrupted"));
        }
        let response = self.engine.handle(command.as_bytes()).unwrap_or_default();
        match response.split_at_checked(1) {
            Some(("=", text)) => Ok(text.trim().to_owned()),
            Some((_, message)) => Err(refused(message.trim())),
            None => Err(refused("no answer")),
        }
    }

    fn send_within(
        &mut self,
        command: &str,
        _: Duration,
    ) -> Result<(String, Duration), ClientError> {
        let start = Instant::now();
        let text = self.send(command)?;
        Ok((text, start.elapsed()))
    }

    fn supports(&mut self, command: &str) -> Result<bool, ClientError> {
        Ok(self.send(&format!("known_command {command}"))? == "true")
    }
}
