//! Reviews of games: each position of a game's main line is searched, and what the search says is turned into
//! figures for players.
//!
//! [`game`] reads a record, [`analysis`] keeps what a search found about a position, [`review`] joins both and
//! tells how many points each move lost, [`summary`] counts, [`annotated`] writes all of it into a record.
//! [`folder`] names the files of a review and [`run`] fills a folder with them on several threads; several
//! processes may fill the same folder.
//!
//! Win rates and score leads are Black's everywhere; points lost are the mover's.

pub mod analysis;
pub mod annotated;
pub mod folder;
pub mod game;
#[expect(
    clippy::module_inception,
    reason = "the result that the folder is about"
)]
pub mod review;
pub mod run;
pub mod settings;
pub mod summary;
