pub(crate) async fn play_all() {}
