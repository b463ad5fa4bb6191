//! Blocks of results with sizes known to the compiler, so that all of their sums stay in registers.

/// Evaluates an expression with `R` rows and `V` vectors of columns as constants, of a block no larger than an
/// instruction set's: `of_size!(S, rows, vectors, <R, V> run::<S, R, V>(block))`.
macro_rules! of_size {
    ($simd:ty, $rows:expr, $vectors:expr, <$r:ident, $v:ident> $run:expr) => {
        of_size! {
            $simd, $rows, $vectors, <$r, $v> $run,
            1: 1 2 3 4 5 6 7 8 9 10 11 12 13;
            2: 1 2 3 4 5 6 7 8 9 10 11 12 13;
            3: 1 2 3 4 5 6 7 8 9;
            4: 1 2 3 4 5 6;
        }
    };
    (
        $simd:ty, $rows:expr, $vectors:expr, <$r:ident, $v:ident> $run:expr,
        $($width:literal: $($height:literal)*;)*
    ) => {
        match ($vectors, $rows) {
            $($(
                // Other blocks do not occur with this instruction set.
                ($width, $height) => if const { $height <= <$simd>::ROWS[$width] } {
                    const $r: usize = $height;
                    const $v: usize = $width;
                    $run
                },
            )*)*
            _ => unreachable!("blocks are no larger than the instruction set's"),
        }
    };
}

pub(super) use of_size;
