//! A primary that is lost, and its replica that takes over.
