//! Amadeus bookings as hapax cells.
