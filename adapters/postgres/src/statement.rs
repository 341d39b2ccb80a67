//! Which statements may run inside a transaction that isn't theirs.
//!
//! No parser of SQL is used: it could read a text in another way than the server. The server itself
//! takes one statement in a `Parse` message, so the first word after blanks and comments says what
//! kind it is, and only words that can't end the transaction or outlive it are let through.

/// What a statement may begin with.
const ALLOWED: [&str; 10] =
    ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH", "VALUES", "CALL", "LOCK", "NOTIFY"];

/// Checks the first word of a statement.
///
/// # Errors
/// What is wrong, in words.
pub(crate) fn check(sql: &str) -> Result<(), String> {
    if sql.contains('\0') {
        return Err("holds a zero byte".to_owned());
    }
    let word = first_word(sql)?.to_ascii_uppercase();
    if ALLOWED.contains(&word.as_str()) {
        return Ok(());
    }
    Err(format!("begins with none of {}; a transaction is begun and ended by hapax alone", ALLOWED.join(", ")))
}

fn first_word(sql: &str) -> Result<&str, String> {
    let mut rest = sql;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}' || c == '(');
        if let Some(comment) = rest.strip_prefix("--") {
            rest = comment.find(['\n', '\r']).and_then(|end| comment.get(end..)).unwrap_or("");
        } else if rest.starts_with("/*") {
            rest = after_comment(rest).ok_or("a comment has no end")?;
        } else {
            let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
            // A longer name such as `select_all` or `sélect` is no keyword.
            let follows = rest.get(end..).and_then(|rest| rest.chars().next());
            let is_name = follows.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$' || !c.is_ascii());
            return if is_name { Ok("") } else { Ok(rest.get(..end).unwrap_or("")) };
        }
    }
}

/// What follows a comment; comments nest.
fn after_comment(text: &str) -> Option<&str> {
    let (mut depth, mut at) = (0usize, 0);
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return text.get(at..);
            }
        } else {
            at += rest.chars().next()?.len_utf8();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn execute_transaction_words_are_refused_before_sending() {
        let words = [
            "COMMIT",
            "commit",
            "END",
            "ROLLBACK",
            "ABORT",
            "BEGIN",
            "START TRANSACTION",
            "SAVEPOINT a",
            "RELEASE a",
            "PREPARE TRANSACTION 'x'",
            "COMMIT PREPARED 'x'",
            "SET search_path = a",
            "RESET ALL",
            "DISCARD ALL",
            "COPY a FROM STDIN",
            "LISTEN a",
            "UNLISTEN *",
            "DO $$ BEGIN END $$",
            "VACUUM",
            "EXECUTE x",
            "DECLARE c",
            "CREATE TABLE a ()",
            "DROP TABLE hapax_done",
            "TRUNCATE a",
            "EXPLAIN ANALYZE DELETE FROM a",
            "",
            ";",
            "selects",
            "select_1",
            "selecté",
            "\"select\"",
            "'select'",
            "/* open",
        ];
        for word in words {
            for before in ["", " \n\t", "-- SELECT\n", "/* SELECT */", "/* a /* SELECT */ b */ -- c\r\n ", "(("] {
                let sql = format!("{before}{word}");
                assert!(check(&sql).is_err(), "{sql:?}");
            }
        }
        assert!(check("SELECT '\0'").is_err());
    }

    #[test]
    fn statements_about_data_pass() {
        for sql in [
            "select 1",
            "  SELECT$1",
            "-- why\nINSERT INTO a VALUES (1)",
            "/* a /* b */ c */update a set b = 1",
            "(SELECT 1) UNION (SELECT 2)",
            "WITH x AS (SELECT 1) DELETE FROM a",
            "CALL p()",
            "values(1)",
            "SELECT/**/1",
        ] {
            // `SELECT$1` is a name to PostgreSQL too.
            assert_eq!(check(sql).is_ok(), !sql.contains("SELECT$1"), "{sql:?}");
        }
    }
}
