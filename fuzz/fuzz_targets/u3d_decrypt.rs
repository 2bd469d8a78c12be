//! Decryption of Ultimate 3D models.
#![no_main]

meshlens_fuzz::target!(u3d_decrypt);
