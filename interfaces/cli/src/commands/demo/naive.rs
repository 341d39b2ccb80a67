//! A retry loop as it is often written: an error means that nothing happened, so try again.

use hapax_standin::Reply;
use hapax_standin::client::Call;

use super::stage::Stage;
use super::trip;

/// One attempt to charge, in one request with a key made for this attempt. `None` is any failure: no
/// answer, or an answer that isn't a success.
pub(super) async fn charge(stage: &Stage) -> Option<String> {
    let stripe = &stage.stripe;
    let fields = [
        ("amount", trip::PRICE),
        ("currency", "eur"),
        ("payment_method", "pm_card_visa"),
        ("payment_method_types[0]", "card"),
        ("confirm", "true"),
    ];
    // The mistake: a key that is made anew for each attempt protects nothing.
    let key = format!("fresh-{}", hapax_core::ledger::OperationId::fresh());
    let call = Call::post(&stripe.at("/v1/payment_intents")).form(&fields).header("idempotency-key", &key);
    let made = sent(call, stripe.credential("api_key")).await?;
    text(&made, "/id")
}

/// One attempt to send the confirmation. Gmail has no key for it.
pub(super) async fn mail(stage: &Stage) -> Option<String> {
    let gmail = &stage.gmail;
    let boundary = "two-parts";
    let parts = format!(
        "--{boundary}\r\nContent-Type: application/json\r\n\r\n{{}}\r\n--{boundary}\r\nContent-Type: message/rfc822\r\n\r\n\
         {}\r\n--{boundary}--\r\n",
        trip::written_mail()
    );
    let call = Call::post(&gmail.at("/upload/gmail/v1/users/me/messages/send?uploadType=multipart"));
    let call = call.header("content-type", &format!("multipart/related; boundary={boundary}")).body(parts.into_bytes());
    text(&sent(call, gmail.credential("access_token")).await?, "/id")
}

/// One attempt to order the flights. Amadeus has no key for it.
pub(super) async fn book(stage: &Stage) -> Option<String> {
    let amadeus = &stage.amadeus;
    let fields = [
        ("grant_type", "client_credentials"),
        ("client_id", amadeus.credential("client_id")),
        ("client_secret", amadeus.credential("client_secret")),
    ];
    let token = Call::post(&amadeus.at("/v1/security/oauth2/token")).form(&fields).send().await.ok()?;
    let token = text(&token, "/access_token")?;
    let ordered = sent(Call::post(&amadeus.at(trip::ORDERS)).json(&trip::order()), &token).await?;
    text(&ordered, "/data/associatedRecords/0/reference")
}

async fn sent(call: Call, bearer: &str) -> Option<Reply> {
    let reply = call.header("authorization", &format!("Bearer {bearer}")).send().await.ok()?;
    Some(reply).filter(|reply| reply.status < 300)
}

fn text(reply: &Reply, pointer: &str) -> Option<String> {
    reply.value().pointer(pointer)?.as_str().map(str::to_owned)
}
