//! Stripe (API v1) as hapax cells: charge, refund, capture, cancel, transfer, subscribe, send an invoice.
// The example in the README needs the stand-in, so both come with its feature.
#![cfg_attr(feature = "standin", doc = "", doc = include_str!("../README.md"))]

mod amounts;
mod cancel_payment;
mod cancel_subscription;
mod capture;
mod charge;
mod client;
mod create_subscription;
mod facts;
mod refund;
mod send_invoice;
#[cfg(feature = "standin")]
pub mod standin;
#[cfg(test)]
mod testing;
mod transfer;
mod wire;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use cancel_payment::{CancelPayment, CancelPaymentCell, CancelPaymentReceipt, CancelReason};
pub use cancel_subscription::{CancelSubscription, CancelSubscriptionCell, CancelSubscriptionReceipt, CancelWhen};
pub use capture::{Capture, CaptureCell, CaptureReceipt};
pub use charge::{CaptureMethod, Charge, ChargeCell, ChargeReceipt};
pub use client::Stripe;
pub use create_subscription::{
    CreateSubscription, CreateSubscriptionCell, CreateSubscriptionReceipt, SubscriptionItem,
};
pub use hapax_core::words::Doer;
pub use refund::{Refund, RefundCell, RefundReason, RefundReceipt};
pub use send_invoice::{InvoiceItem, SendInvoice, SendInvoiceCell, SendInvoiceReceipt};
pub use transfer::{Transfer, TransferCell, TransferReceipt};

/// Stripe, for a connection.
pub fn integration() -> SharedIntegration {
    Arc::new(Stripe)
}
