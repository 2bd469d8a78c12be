//! meshlens-lens
