//! Games shared by the tests.

pub mod tictactoe;
