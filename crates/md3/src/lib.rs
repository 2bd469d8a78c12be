//! meshlens-md3
