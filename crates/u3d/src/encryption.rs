//! Decryption and encryption of whole files (Ultimate 3D 2.0: EncryptionVersion).
//!
//! According to the format document, the cipher is AES with a key of 128 bits made from the password, and the last byte
//! of the plain text is the number of bytes to drop. The document specifies neither a mode of operation nor an
//! initialization vector, so each block is assumed to be encrypted separately (ECB). [`blocks`] is the one place that
//! depends on this.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use alloc::vec::Vec;

use aes::Aes128;
use aes::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit, consts::U16};
use meshlens_wire::{Chunks, Data, Error, ErrorKind, Expected, Limits, Result};

use crate::header::{ENCRYPTION_OFFSET, Encryption, FileHeader};
use crate::{FORMAT, U3d};

/// The size of a block and of the key in bytes.
const BLOCK: usize = 16;

/// Runs the cipher over whole blocks, in place: the mode of operation. `run` encrypts or decrypts them.
fn blocks(bytes: &mut [u8], key: [u8; BLOCK], run: fn(&Aes128, &mut [Array<u8, U16>])) {
    let (blocks, _) = Array::<u8, U16>::slice_as_chunks_mut(bytes);
    run(&Aes128::new(&Array::from(key)), blocks);
}

/// The bytes of the password, padded with zeros.
fn key(data: Data<'_>, password: &[u8]) -> Result<[u8; BLOCK]> {
    let limit = BLOCK as u32;
    let error = |kind| Err(data.error(ENCRYPTION_OFFSET, kind));
    if password.is_empty() {
        return error(ErrorKind::Encrypted { cipher: "AES-128" });
    }
    let mut key = [0; BLOCK];
    match key.get_mut(..password.len()) {
        Some(front) => front.copy_from_slice(password),
        None => return error(ErrorKind::PasswordTooLong { limit }),
    }
    Ok(key)
}

impl U3d<'_> {
    /// Decrypts a file. Returns the header with EncryptionVersion 0, followed by the decrypted rest. A file that is not
    /// encrypted is returned unchanged.
    ///
    /// Allocates as many bytes as the file has, at most the `output` of [`Limits::DEFAULT`].
    ///
    /// # Errors
    ///
    /// The file has no file header of version 2.0, its encryption is not version 2, or the encrypted part is not a
    /// whole number of blocks. The password is empty ([`ErrorKind::Encrypted`]), longer than 16 bytes
    /// ([`ErrorKind::PasswordTooLong`]), or does not decrypt to chunks ([`ErrorKind::WrongPassword`]). No error
    /// contains the password.
    pub fn decrypt(bytes: &[u8], password: impl AsRef<[u8]>) -> Result<Vec<u8>> {
        Self::decrypt_with(bytes, password, &Limits::DEFAULT)
    }

    /// Encrypts a file of version 2.0: everything after the file header, padded to whole blocks. The reverse of
    /// [`decrypt`](Self::decrypt).
    ///
    /// # Errors
    ///
    /// The file has no file header, is of version 1.0, whose encryption is not documented, or is already encrypted; or the
    /// password is empty or longer than 16 bytes.
    pub fn encrypt(bytes: &[u8], password: impl AsRef<[u8]>) -> Result<Vec<u8>> {
        encrypt(bytes, password.as_ref())
    }

    /// Like [`decrypt`](Self::decrypt), with limits.
    ///
    /// # Errors
    ///
    /// Same as [`decrypt`](Self::decrypt).
    pub fn decrypt_with(bytes: &[u8], password: impl AsRef<[u8]>, limits: &Limits) -> Result<Vec<u8>> {
        let data = Data::new(FORMAT, bytes);
        let header = FileHeader::read_in(data)?;
        match header.encryption {
            None => Ok(bytes.to_vec()),
            Some(Encryption::Aes128) => decrypt(data, &header, key(data, password.as_ref())?, limits),
            Some(other) => {
                let kind = ErrorKind::UnknownEncryption { version: other.version() };
                Err(data.error(ENCRYPTION_OFFSET, kind))
            }
        }
    }
}

fn decrypt(data: Data<'_>, header: &FileHeader, key: [u8; BLOCK], limits: &Limits) -> Result<Vec<u8>> {
    let bytes = data.bytes();
    if data.file_len() > limits.output {
        let kind =
            ErrorKind::Limit { what: "bytes to decrypt", limit: limits.output, found: data.file_len() };
        return Err(data.error(header.payload, kind));
    }
    let (start, payload) = payload(bytes, header);
    let Some(last) = payload.last_chunk::<BLOCK>().filter(|_| payload.len().is_multiple_of(BLOCK)) else {
        let expected = Expected::Text("a multiple of 16, and not 0");
        let found = payload.len().cast_signed() as i64;
        let kind = ErrorKind::Value { what: "bytes of the encrypted part", expected, found };
        return Err(data.error(header.payload, kind));
    };
    let wrong = data.error(header.payload, ErrorKind::WrongPassword);
    // The last block has the number of bytes to drop, and is nearly always invalid if the password is wrong: the whole
    // file is copied only after this check.
    let mut last = *last;
    blocks(&mut last, key, Aes128::decrypt_blocks);
    let [.., drop] = last;
    let length = bytes.len().checked_sub(drop.into()).filter(|_| (1..=BLOCK).contains(&usize::from(drop)));
    let length = length.ok_or(wrong)?;
    let mut plain = bytes.to_vec();
    blocks(plain.get_mut(start..).unwrap_or(&mut []), key, Aes128::decrypt_blocks);
    plain.truncate(length);
    set_encryption(&mut plain, 0);
    // The result of a wrong password does not begin with a known chunk.
    let first = Chunks::new(Data::new(FORMAT, &plain), header.payload, limits).next();
    match first {
        Some(Ok(chunk)) if chunk.identifier().raw().starts_with(b"$") => Ok(plain),
        None if header.payload == plain.len() as u64 => Ok(plain),
        _ => Err(wrong),
    }
}

/// The bytes after the file header, which has been read from `bytes`, and where they begin.
fn payload<'b>(bytes: &'b [u8], header: &FileHeader) -> (usize, &'b [u8]) {
    let start = usize::try_from(header.payload).unwrap_or(usize::MAX).min(bytes.len());
    (start, bytes.get(start..).unwrap_or(&[]))
}

/// Writes EncryptionVersion into the file header, which must exist.
fn set_encryption(bytes: &mut [u8], version: u32) {
    let field = bytes.get_mut(ENCRYPTION_OFFSET as usize..).and_then(|field| field.first_chunk_mut());
    if let Some(field) = field {
        *field = version.to_le_bytes();
    }
}

/// Encrypts a file of version 2.0: everything after the file header, padded to whole blocks.
fn encrypt(bytes: &[u8], password: &[u8]) -> Result<Vec<u8>> {
    let data = Data::new(FORMAT, bytes);
    let header = FileHeader::read_in(data)?;
    if header.version.is_v1() {
        let what = "encrypting a file of version 1.0";
        return Err(Error::new(FORMAT, 0, ErrorKind::Unsupported { what }));
    }
    header.check_readable(data)?;
    let key = key(data, password)?;
    let (start, payload) = payload(bytes, &header);
    let mut out = bytes.to_vec();
    // At least one byte is added. The last byte is the number of added bytes, 1 to 16.
    let (_, rest) = payload.as_chunks::<BLOCK>();
    // At least 1 and at most 16 bytes are added, because the rest is shorter than a block.
    let added = BLOCK.saturating_sub(rest.len());
    out.extend(core::iter::repeat_n(0, added.saturating_sub(1)));
    out.push(added as u8);
    set_encryption(&mut out, Encryption::Aes128.version());
    blocks(out.get_mut(start..).unwrap_or(&mut []), key, Aes128::encrypt_blocks);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cipher_is_aes_128_for_each_block() {
        // FIPS 197, appendix B.
        let key = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128.to_be_bytes();
        let plain = 0x3243_f6a8_885a_308d_3131_98a2_e037_0734_u128.to_be_bytes();
        let cipher = 0x3925_841d_02dc_09fb_dc11_8597_196a_0b32_u128.to_be_bytes();
        let mut bytes = [plain, plain].concat();
        blocks(&mut bytes, key, Aes128::encrypt_blocks);
        assert_eq!(bytes, [cipher, cipher].concat());
        blocks(&mut bytes, key, Aes128::decrypt_blocks);
        assert_eq!(bytes, [plain, plain].concat());
    }
}
