//! meshlens-source
