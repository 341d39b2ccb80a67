//! Twilio messages and calls (API 2010-04-01) as hapax cells.
