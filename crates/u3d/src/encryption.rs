//! Encrypted files: decrypted, and encrypted, as a whole (Ultimate 3D 2.0: EncryptionVersion).
//!
//! The document says AES with a key of 128 bits made of the password, and that the last byte of the plain text tells
//! how many bytes to drop. It names no mode of operation and stores no initial vector, so each block is taken to stand
//! for itself (ECB). [`blocks`] is the one place that knows.

use alloc::vec::Vec;

use aes::Aes128;
use aes::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit, consts::U16};
use meshlens_wire::{Chunks, Data, Error, ErrorKind, Expected, Limits, Result};

use crate::header::{ENCRYPTION_OFFSET, FileHeader};
use crate::{FORMAT, U3d};

/// Bytes of a block, and of the key.
const BLOCK: usize = 16;

enum Direction {
    Encrypt,
    Decrypt,
}

/// Runs the cipher over whole blocks, in place: the mode of operation.
fn blocks(bytes: &mut [u8], key: [u8; BLOCK], direction: Direction) {
    let cipher = Aes128::new(&Array::from(key));
    let (blocks, _) = Array::<u8, U16>::slice_as_chunks_mut(bytes);
    match direction {
        Direction::Encrypt => cipher.encrypt_blocks(blocks),
        Direction::Decrypt => cipher.decrypt_blocks(blocks),
    }
}

/// The bytes of the password, filled up with zeros.
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
    /// The plain file that `bytes` holds encrypted: its header with EncryptionVersion 0, and the decrypted rest. A
    /// file that is not encrypted comes back as it is.
    ///
    /// This is where zero-copy ends: the result owns as much memory as the file has bytes, at most
    /// [`Limits::DEFAULT`]'s output.
    ///
    /// # Errors
    ///
    /// No file header of version 2.0; an encryption other than version 2; an encrypted part that is not a whole
    /// number of blocks; an empty password ([`ErrorKind::Encrypted`]), one longer than 16 bytes
    /// ([`ErrorKind::PasswordTooLong`]), one that leads to nothing readable ([`ErrorKind::WrongPassword`]). No error
    /// holds the password.
    pub fn decrypt(bytes: &[u8], password: impl AsRef<[u8]>) -> Result<Vec<u8>> {
        Self::decrypt_with(bytes, password, &Limits::DEFAULT)
    }

    /// As [`decrypt`](Self::decrypt), with limits of the caller's.
    ///
    /// # Errors
    ///
    /// As [`decrypt`](Self::decrypt).
    pub fn decrypt_with(bytes: &[u8], password: impl AsRef<[u8]>, limits: &Limits) -> Result<Vec<u8>> {
        let data = Data::new(FORMAT, bytes);
        let header = FileHeader::read_in(data)?;
        match header.encryption {
            0 => {}
            2 => {
                let key = key(data, password.as_ref())?;
                return decrypt(data, &header, key, limits);
            }
            version => return Err(data.error(ENCRYPTION_OFFSET, ErrorKind::UnknownEncryption { version })),
        }
        Ok(bytes.to_vec())
    }
}

fn decrypt(data: Data<'_>, header: &FileHeader, key: [u8; BLOCK], limits: &Limits) -> Result<Vec<u8>> {
    let bytes = data.bytes();
    if data.file_len() > limits.output {
        let kind =
            ErrorKind::Limit { what: "bytes to decrypt", limit: limits.output, found: data.file_len() };
        return Err(data.error(header.payload, kind));
    }
    let size = data.file_len().saturating_sub(header.payload);
    if size == 0 || size.checked_rem(BLOCK as u64) != Some(0) {
        let expected = Expected::Text("a multiple of 16, and not 0");
        let found = i64::try_from(size).unwrap_or(i64::MAX);
        let kind = ErrorKind::Value { what: "bytes of the encrypted part", expected, found };
        return Err(data.error(header.payload, kind));
    }
    let start = usize::try_from(header.payload).unwrap_or(usize::MAX);
    let wrong = data.error(header.payload, ErrorKind::WrongPassword);
    // The last block alone says how much to drop, and with the first one nearly always whether the password is right:
    // only then the whole is copied.
    let payload = bytes.get(start..).unwrap_or_default();
    let mut last = payload.last_chunk::<BLOCK>().copied().ok_or(wrong)?;
    blocks(&mut last, key, Direction::Decrypt);
    let drop = usize::from(last.last().copied().unwrap_or_default());
    if drop == 0 || drop > BLOCK {
        return Err(wrong);
    }
    let mut plain = bytes.to_vec();
    blocks(plain.get_mut(start..).unwrap_or_default(), key, Direction::Decrypt);
    plain.truncate(plain.len().saturating_sub(drop));
    set_encryption(&mut plain, 0);
    // What a wrong password leads to does not begin with a chunk of the format.
    let first = Chunks::new(Data::new(FORMAT, &plain), header.payload, limits).next();
    match first {
        Some(Ok(chunk)) if chunk.identifier().raw().starts_with(b"$") => Ok(plain),
        None if header.payload == plain.len() as u64 => Ok(plain),
        _ => Err(wrong),
    }
}

fn set_encryption(bytes: &mut [u8], version: u32) {
    let start = ENCRYPTION_OFFSET as usize;
    if let Some(field) = bytes.get_mut(start..start.saturating_add(4)) {
        field.copy_from_slice(&version.to_le_bytes());
    }
}

/// The encrypted file of a plain one of version 2.0: everything behind the file header, filled up to whole blocks.
pub(crate) fn encrypt(bytes: &[u8], password: &[u8]) -> Result<Vec<u8>> {
    let data = Data::new(FORMAT, bytes);
    let header = FileHeader::read_in(data)?;
    if header.version.is_v1() {
        let what = "encrypting a file of version 1.0";
        return Err(Error::new(FORMAT, 0, ErrorKind::Unsupported { what }));
    }
    header.check_readable(data)?;
    let key = key(data, password)?;
    let start = usize::try_from(header.payload).unwrap_or(usize::MAX);
    let size = bytes.len().saturating_sub(start);
    // At least one byte is added, for the last one says how many.
    let fill = BLOCK.saturating_sub(size.checked_rem(BLOCK).unwrap_or_default());
    let mut out = bytes.to_vec();
    out.resize(bytes.len().saturating_add(fill), 0);
    if let Some(last) = out.last_mut() {
        *last = u8::try_from(fill).unwrap_or_default();
    }
    set_encryption(&mut out, 2);
    blocks(out.get_mut(start..).unwrap_or_default(), key, Direction::Encrypt);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cipher_is_aes_128_block_by_block() {
        // FIPS 197, appendix B.
        let key = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128.to_be_bytes();
        let plain = 0x3243_f6a8_885a_308d_3131_98a2_e037_0734_u128.to_be_bytes();
        let cipher = 0x3925_841d_02dc_09fb_dc11_8597_196a_0b32_u128.to_be_bytes();
        let mut bytes = [plain, plain].concat();
        blocks(&mut bytes, key, Direction::Encrypt);
        assert_eq!(bytes, [cipher, cipher].concat());
        blocks(&mut bytes, key, Direction::Decrypt);
        assert_eq!(bytes, [plain, plain].concat());
    }
}
