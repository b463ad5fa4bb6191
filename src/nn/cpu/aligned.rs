//! Memory aligned to cache lines.

use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};

/// A cache line, which is also the size of the widest register.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; LINE_BYTES]);

const LINE_BYTES: usize = 64;

/// A slice aligned to a cache line.
#[derive(Clone, Debug)]
pub struct Aligned<T> {
    lines: Vec<Line>,
    len: usize,
    values: std::marker::PhantomData<T>,
}

impl<T: Pod> Aligned<T> {
    /// `len` zeros.
    pub fn zeroed(len: usize) -> Aligned<T> {
        let mut aligned = Aligned::default();
        aligned.reset(len);
        aligned
    }

    /// Resets to `len` zeros; memory is reused.
    pub fn reset(&mut self, len: usize) {
        self.lines.clear();
        self.grow(len);
    }

    /// Extends to at least `len` values; new ones are zero.
    pub fn grow(&mut self, len: usize) {
        if len > self.len || self.lines.is_empty() {
            let lines = (len * size_of::<T>()).div_ceil(LINE_BYTES);
            self.lines.resize(lines, Line([0; LINE_BYTES]));
            self.len = len;
        }
    }
}

impl<T> Default for Aligned<T> {
    fn default() -> Aligned<T> {
        Aligned {
            lines: Vec::new(),
            len: 0,
            values: std::marker::PhantomData,
        }
    }
}

impl<T: Pod> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl<T: Pod> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}
