//! meshlens-testkit
