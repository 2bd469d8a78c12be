//! meshlens-meshlens
