//! PayPal as hapax cells: pay orders from saved payment methods, refund captured payments, pay out batches, send invoices.
// The example in the README needs the stand-in, so both come with its feature.
#![cfg_attr(feature = "standin", doc = "", doc = include_str!("../README.md"))]

mod amounts;
mod client;
mod facts;
mod pay_order;
mod payout_batch;
mod refund;
mod send_invoice;
#[cfg(feature = "standin")]
pub mod standin;
#[cfg(test)]
mod testing;
mod wire;

use std::sync::Arc;

use hapax_core::cell::SharedIntegration;

pub use client::Paypal;
pub use pay_order::{PayOrder, PayOrderCell, PayOrderReceipt, PaymentSource};
pub use payout_batch::{PaidItem, PayoutBatch, PayoutBatchCell, PayoutBatchReceipt, PayoutItem, Receiver};
pub use refund::{Refund, RefundCell, RefundReceipt};
pub use send_invoice::{Address, InvoiceItem, PaymentTerm, SendInvoice, SendInvoiceCell, SendInvoiceReceipt};

/// PayPal, for a connection. Each call gives an integration with tokens of its own.
pub fn integration() -> SharedIntegration {
    Arc::new(Paypal::default())
}
