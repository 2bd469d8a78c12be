//! meshlens-wire
