//! A service for Restate with one handler: the call, as a step that is journaled.
//! `peer-restate PROVIDER`; says the address that it listens on.

use std::io::Write;

use restate_sdk::prelude::*;

struct Charger {
    client: reqwest::Client,
    url: String,
}

#[restate_sdk::service(name = "Charger")]
impl Charger {
    #[handler(name = "charge")]
    async fn charge(&self, ctx: Context<'_>, body: String) -> Result<String, HandlerError> {
        let (client, url) = (self.client.clone(), self.url.clone());
        // The caller's key is the invocation's idempotency key; the provider gets one that belongs to the invocation.
        let key = ctx.invocation_id().to_owned();
        let step = ctx.run(move || async move {
            let request = client.post(url).header("Idempotency-Key", key).header("Content-Type", "application/json");
            let answer = request.body(body).send().await?.error_for_status()?;
            Ok(answer.text().await?)
        });
        Ok(step.name("charge").await?)
    }
}

#[tokio::main]
async fn main() {
    let provider = std::env::args().nth(1).expect("the provider's address");
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    // The SDK's own listener leaves it off, which costs the peer 40 ms a call; connections inherit it from here.
    socket.set_nodelay(true).expect("the socket takes it");
    socket.bind(([127, 0, 0, 1], 0).into()).expect("a port");
    let listener = socket.listen(1024).expect("it listens");
    println!("{{\"url\":\"http://{}\"}}", listener.local_addr().expect("an address"));
    std::io::stdout().flush().expect("somebody listens");
    let charger = Charger { client: reqwest::Client::new(), url: format!("{provider}/charge") };
    HttpServer::new(Endpoint::builder().bind(charger).build()).serve(listener).await;
}
