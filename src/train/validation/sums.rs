//! Addition of structs of sums.

/// Implements `AddAssign` for a struct by adding each of its fields; all have to be named.
macro_rules! impl_add_assign {
    ($type:ident: $($field:ident),+) => {
        impl std::ops::AddAssign for $type {
            fn add_assign(&mut self, other: $type) {
                let $type { $($field),+ } = other;
                $(self.$field += $field;)+
            }
        }
    };
}

pub(super) use impl_add_assign;
