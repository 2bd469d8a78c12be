//! The formats by name, and the mutator that chooses between them.

use core::fmt;
use core::str::FromStr;

use crate::engine::{self, Format};
use crate::formats::{Md3, U3d, UnigineAnim, UnigineMesh, Unreal};

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Quake 3 models.
    Md3,
    /// Both files of an Unreal vertex mesh in one buffer: `_d.3d`, up to its last triangle, and then `_a.3d`.
    Unreal,
    /// Ultimate 3D models of both versions.
    U3d,
    /// Ultimate 3D models of version 2.0, encrypted with the password of the [`Mutator`].
    EncryptedU3d,
    /// UNIGINE meshes.
    UnigineMesh,
    /// UNIGINE animations.
    UnigineAnim,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 6] =
        [Kind::Md3, Kind::Unreal, Kind::U3d, Kind::EncryptedU3d, Kind::UnigineMesh, Kind::UnigineAnim];

    /// The name, such as `unigine-mesh`.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Md3 => "md3",
            Kind::Unreal => "unreal",
            Kind::U3d => "u3d",
            Kind::EncryptedU3d => "u3d-aes",
            Kind::UnigineMesh => "unigine-mesh",
            Kind::UnigineAnim => "unigine-anim",
        }
    }

    /// The kind of a file by its first bytes, also if it is damaged. A pair of Unreal files has no identifier, and
    /// therefore must parse.
    pub fn detect(file: &[u8]) -> Option<Kind> {
        const ENCRYPTION: core::ops::Range<usize> = 33..37;
        match file.first_chunk()? {
            b"IDP3" => Some(Kind::Md3),
            b"U3DM" => Some(Kind::U3d),
            b"$U3D" if file.get(ENCRYPTION) == Some(&[2, 0, 0, 0]) => Some(Kind::EncryptedU3d),
            b"$U3D" => Some(Kind::U3d),
            [b'm', b's', b'1', b'0'..=b'4'] => Some(Kind::UnigineMesh),
            [b'a', b'n', b'1', b'0' | b'1'] => Some(Kind::UnigineAnim),
            _ => engine::layout_of(&Unreal, file).map(|_| Kind::Unreal),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no [`Kind`] has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKind;

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", Kind::ALL.map(Kind::name).join(", "))
    }
}

impl core::error::Error for UnknownKind {}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or(UnknownKind)
    }
}

/// Changes files. Results depend on the arguments alone, and have at most as many bytes as the caller asks for.
#[derive(Clone, Debug)]
pub struct Mutator {
    kind: Option<Kind>,
    password: Vec<u8>,
}

impl Mutator {
    /// Changes files of this kind. Files of other kinds count as damaged.
    pub const fn new(kind: Kind) -> Mutator {
        Mutator { kind: Some(kind), password: Vec::new() }
    }

    /// Changes files of the kind that each one has. For a file of no kind, the seed chooses the kind of a new one.
    pub const fn detecting() -> Mutator {
        Mutator { kind: None, password: Vec::new() }
    }

    /// Sets the password of encrypted Ultimate 3D models, 1 to 16 bytes. Without it, it is `secret`.
    #[must_use]
    pub fn with_password(mut self, password: impl Into<Vec<u8>>) -> Mutator {
        self.password = password.into();
        self
    }

    /// Changes a file: see [`mutate`](crate::mutate).
    pub fn mutate(&self, file: &[u8], max_len: usize, seed: u64) -> Vec<u8> {
        self.with(file, seed, Change::Mutate(file), max_len)
    }

    /// Puts a part of one file into another: see [`cross_over`](crate::cross_over).
    pub fn cross_over(&self, first: &[u8], second: &[u8], max_len: usize, seed: u64) -> Vec<u8> {
        self.with(first, seed, Change::CrossOver(first, second), max_len)
    }

    /// Makes a file. For a mutator that detects kinds, the seed chooses one.
    pub fn make(&self, max_len: usize, seed: u64) -> Vec<u8> {
        self.with(&[], seed, Change::Make, max_len)
    }

    fn with(&self, file: &[u8], seed: u64, change: Change<'_>, max_len: usize) -> Vec<u8> {
        let any = || Kind::ALL.iter().cycle().nth(seed as usize % Kind::ALL.len()).copied();
        let kind = self.kind.or_else(|| Kind::detect(file)).or_else(any);
        match kind.unwrap_or(Kind::Md3) {
            Kind::Md3 => change.make(&Md3, max_len, seed),
            Kind::Unreal => change.make(&Unreal, max_len, seed),
            Kind::U3d => change.make(&U3d { password: None }, max_len, seed),
            Kind::EncryptedU3d => {
                let password = if self.password.is_empty() { b"secret" } else { self.password.as_slice() };
                change.make(&U3d { password: Some(password) }, max_len, seed)
            }
            Kind::UnigineMesh => change.make(&UnigineMesh, max_len, seed),
            Kind::UnigineAnim => change.make(&UnigineAnim, max_len, seed),
        }
    }
}

enum Change<'f> {
    Mutate(&'f [u8]),
    CrossOver(&'f [u8], &'f [u8]),
    Make,
}

impl Change<'_> {
    fn make<F: Format>(self, format: &F, max_len: usize, seed: u64) -> Vec<u8> {
        match self {
            Change::Mutate(file) => engine::mutate(format, file, max_len, seed),
            Change::CrossOver(first, second) => engine::cross_over(format, first, second, max_len, seed),
            Change::Make => engine::make(format, max_len, seed),
        }
    }
}
