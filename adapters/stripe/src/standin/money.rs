use super::fail::Fail;

/// Currencies whose amounts have no decimals.
const WITHOUT_DECIMALS: [&str; 15] =
    ["bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "vnd", "vuv", "xaf", "xof", "xpf"];
/// Currencies whose amounts have three decimals, the last of which must be zero.
const THREE_DECIMALS: [&str; 5] = ["bhd", "jod", "kwd", "omr", "tnd"];
/// Currencies that have no decimals any more and are still sent with two zeros.
const TWO_ZEROS: [&str; 2] = ["isk", "ugx"];
/// Eight digits.
const AMOUNT_MAX: i64 = 99_999_999;

/// Checks an amount as Stripe does before anything runs.
pub(super) fn check(amount: i64, currency: &str) -> Result<(), Fail> {
    let is_code = currency.len() == 3 && currency.bytes().all(|letter| letter.is_ascii_lowercase());
    if !is_code {
        return Err(Fail::invalid(format!("Invalid currency: {currency}")).param("currency"));
    }
    let fail = |code: &str, message: String| Err(Fail::invalid(message).code(code).param("amount"));
    if amount < 0 {
        return fail("parameter_invalid_integer", format!("Invalid non-negative integer: {amount}"));
    }
    if amount > AMOUNT_MAX {
        return fail("amount_too_large", format!("Amount must be no more than {AMOUNT_MAX} in minor units."));
    }
    if amount < smallest(currency) {
        return fail("amount_too_small", format!("Amount must be at least {} {currency}.", smallest(currency)));
    }
    step(amount, currency)
}

/// Refuses amounts that the currency's rounding does not allow; it holds for parts of an amount too.
pub(super) fn step(amount: i64, currency: &str) -> Result<(), Fail> {
    let step = match currency {
        _ if THREE_DECIMALS.contains(&currency) => 10,
        _ if TWO_ZEROS.contains(&currency) => 100,
        _ => 1,
    };
    if amount % step == 0 {
        return Ok(());
    }
    let message = format!("Invalid amount for {currency}: it must be a multiple of {step}.");
    Err(Fail::invalid(message).param("amount"))
}

/// Roughly half a US dollar. Stripe's table has more rows; a stand-in needs one for each number of decimals.
fn smallest(currency: &str) -> i64 {
    match currency {
        "gbp" => 30,
        _ if WITHOUT_DECIMALS.contains(&currency) => 50,
        _ if THREE_DECIMALS.contains(&currency) => 150,
        _ => 50,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts() {
        #[track_caller]
        fn check_one(amount: i64, currency: &str, accepted: bool) {
            assert_eq!(check(amount, currency).is_ok(), accepted, "{amount} {currency}");
        }
        check_one(50, "usd", true);
        check_one(49, "usd", false);
        check_one(-5, "usd", false);
        check_one(100_000_000, "usd", false);
        check_one(50, "jpy", true);
        check_one(1_230, "kwd", true);
        check_one(1_235, "kwd", false);
        check_one(500, "ugx", true);
        check_one(550, "isk", false);
        check_one(500, "USD", false);
        check_one(500, "us", false);
    }
}
