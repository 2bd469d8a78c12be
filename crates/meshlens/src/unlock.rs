//! Encrypted files, before they are parsed.

use alloc::borrow::Cow;

use meshlens_wire::Result;

/// The bytes to parse: those of an encrypted file decrypted, all others as they are.
///
/// Formats with encryption: Ultimate 3D 2.0. Without a password, and without the cargo feature `aes`, encrypted
/// bytes come back as they are, and the parser says what they need.
///
/// ```
/// # let bytes = meshlens::md3::write::Model::new("plain")?.write()?;
/// let plain = meshlens::unlock(&bytes, Some("not needed"))?;
/// assert_eq!(*plain, bytes);
/// # Ok::<(), meshlens::Error>(())
/// ```
///
/// # Errors
///
/// A wrong password, or an encryption that nobody has documented. No error holds the password.
pub fn unlock<'b>(bytes: &'b [u8], password: Option<&str>) -> Result<Cow<'b, [u8]>> {
    #[cfg(feature = "aes")]
    if let Some(password) = password
        && meshlens_u3d::FileHeader::read(bytes).is_ok_and(|header| header.is_encrypted())
    {
        return meshlens_u3d::U3d::decrypt(bytes, password).map(Cow::Owned);
    }
    let _ = password;
    Ok(Cow::Borrowed(bytes))
}
