use super::written;
use crate::mail::{Attachment, Mail, Reply};
use crate::testing::mail;

fn text(mail: &Mail) -> String {
    String::from_utf8(written(mail, "mark").expect("a mail")).expect("ASCII")
}

#[test]
fn send_same_mail_encodes_equally() {
    let file =
        Attachment {
            filename: "Größe.pdf".into(), content_type: "application/pdf".into(), content: "AAECAw==".into()
        };
    let mail = Mail { html: Some("<p>It is due.</p>".into()), attachments: vec![file], ..mail() };
    let one = text(&mail);
    assert_eq!(one, text(&mail));
    for (part, times) in [("hapax-mixed-mark", 4), ("hapax-alternative-mark", 4), ("X-Hapax-Key: mark\r\n", 1)] {
        assert_eq!(one.matches(part).count(), times, "{part}\n{one}");
    }
    assert!(!one.contains("Date:") && !one.contains("Message-ID:"), "{one}");
    assert!(one.contains("AAECAw=="), "{one}");
}

#[test]
fn names_and_subjects_of_any_script_are_encoded_words() {
    let plain = text(&mail());
    assert!(plain.is_ascii());
    assert!(plain.contains("Subject: =?utf-8?b?"), "{plain}");
    assert!(plain.contains("<jane@example.com>"), "{plain}");
}

#[test]
fn hidden_copies_and_replies_stand_in_the_head() {
    let bcc = vec!["kim@example.com".parse::<crate::Address>().expect("an address").into()];
    let reply = Reply { thread_id: "t1".into(), in_reply_to: "<a@example.com>".into(), references: Vec::new() };
    let mail = text(&Mail { bcc, reply: Some(reply), ..mail() });
    let head = mail.split("\r\n\r\n").next().expect("a head");
    for line in
        ["Bcc: kim@example.com", "In-Reply-To: <a@example.com>", "References: <a@example.com>", "MIME-Version: 1.0"]
    {
        assert!(head.contains(line), "{head}");
    }
}
