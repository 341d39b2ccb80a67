//! Gmail (API v1) as hapax cells: send.
