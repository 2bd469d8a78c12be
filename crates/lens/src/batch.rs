//! Batches: values as structures of arrays of a fixed length, for vector code.

macro_rules! batches {
    ($($(#[$doc:meta])* $name:ident: $($field:ident),*;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name<T, const N: usize> {
            /// The number of lanes that hold elements, counted from the first. The other lanes are zero.
            pub len: usize,
            $(
                #[doc = concat!("Component ", stringify!($field), " of each element.")]
                pub $field: [T; N],
            )*
        }
    )*};
}

batches! {
    /// `N` single numbers.
    Batch1: x;
    /// `N` pairs.
    Batch2: x, y;
    /// `N` triples.
    Batch3: x, y, z;
    /// `N` quadruples.
    Batch4: x, y, z, w;
}
