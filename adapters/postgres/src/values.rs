//! Values on their way to the server and back.

use std::error::Error;

use bytes::BytesMut;
use serde_json::{Number, Value};

use tokio_postgres::types::{Format, FromSql, IsNull, Kind, ToSql, Type, to_sql_checked};

/// A parameter, sent as text: the server reads it as whatever type the statement wants there.
#[derive(Debug)]
pub(crate) struct Parameter<'a>(pub(crate) &'a Value);

impl ToSql for Parameter<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let is_json = matches!(*kind, Type::JSON | Type::JSONB);
        let text = match self.0 {
            Value::Null => return Ok(IsNull::Yes),
            Value::String(text) if !is_json => text.clone(),
            other => other.to_string(),
        };
        out.extend_from_slice(text.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}

/// A value of a row, as the server wrote it.
pub(crate) struct Raw<'a>(Option<&'a [u8]>);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Some(raw)))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(None))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// Whether values of this type can be told as JSON.
pub(crate) fn is_known(kind: &Type) -> bool {
    match kind.kind() {
        Kind::Enum(_) => true,
        Kind::Domain(of) => is_known(of),
        _ => [
            Type::BOOL,
            Type::INT2,
            Type::INT4,
            Type::INT8,
            Type::OID,
            Type::FLOAT4,
            Type::FLOAT8,
            Type::NUMERIC,
            Type::TEXT,
            Type::VARCHAR,
            Type::BPCHAR,
            Type::NAME,
            Type::UNKNOWN,
            Type::UUID,
            Type::JSON,
            Type::JSONB,
            Type::VOID,
        ]
        .contains(kind),
    }
}

/// A value as JSON; `None`: the bytes are not what the type says.
pub(crate) fn json(kind: &Type, raw: &Raw<'_>) -> Option<Value> {
    let Some(bytes) = raw.0 else { return Some(Value::Null) };
    if let Kind::Domain(of) = kind.kind() {
        return json(of, raw);
    }
    Some(match *kind {
        Type::BOOL => Value::Bool(*bytes.first()? != 0),
        Type::INT2 => i16::from_be_bytes(bytes.try_into().ok()?).into(),
        Type::INT4 => i32::from_be_bytes(bytes.try_into().ok()?).into(),
        Type::INT8 => i64::from_be_bytes(bytes.try_into().ok()?).into(),
        Type::OID => u32::from_be_bytes(bytes.try_into().ok()?).into(),
        Type::FLOAT4 => float(f64::from(f32::from_be_bytes(bytes.try_into().ok()?))),
        Type::FLOAT8 => float(f64::from_be_bytes(bytes.try_into().ok()?)),
        Type::NUMERIC => Value::String(numeric(bytes)?),
        Type::UUID => Value::String(uuid(bytes)?),
        Type::JSON => serde_json::from_slice(bytes).ok()?,
        // A version byte comes first.
        Type::JSONB => serde_json::from_slice(bytes.strip_prefix(&[1])?).ok()?,
        Type::VOID => Value::Null,
        _ => Value::String(std::str::from_utf8(bytes).ok()?.to_owned()),
    })
}

/// JSON has no number for what is none.
fn float(number: f64) -> Value {
    Number::from_f64(number).map_or_else(|| Value::String(number.to_string()), Value::Number)
}

fn uuid(bytes: &[u8]) -> Option<String> {
    if bytes.len() != 16 {
        return None;
    }
    let mut text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [20, 16, 12, 8].into_iter().for_each(|at| text.insert(at, '-'));
    Some(text)
}

/// A `numeric` as text, with all its digits: groups of four, the first one of weight 10000^weight.
fn numeric(bytes: &[u8]) -> Option<String> {
    let word = |index: usize| Some(u16::from_be_bytes(bytes.get(index * 2..index * 2 + 2)?.try_into().ok()?));
    let (count, weight, sign, scale) = (word(0)?, word(1)? as i16, word(2)?, usize::from(word(3)?));
    match sign {
        0xC000 => return Some("NaN".to_owned()),
        0xD000 => return Some("Infinity".to_owned()),
        0xF000 => return Some("-Infinity".to_owned()),
        _ => {}
    }
    let group = |place: i32| -> Option<u16> {
        let index = i32::from(weight) - place;
        if (0..i32::from(count)).contains(&index) { word(4 + usize::try_from(index).ok()?) } else { Some(0) }
    };
    let mut text = String::new();
    for place in (0..=i32::from(weight).max(0)).rev() {
        text.push_str(&format!("{:04}", group(place)?));
    }
    let whole = text.trim_start_matches('0');
    let mut text = if whole.is_empty() { "0".to_owned() } else { whole.to_owned() };
    if scale > 0 {
        let mut fraction = String::new();
        for place in 1..=i32::try_from(scale.div_ceil(4)).ok()? {
            fraction.push_str(&format!("{:04}", group(-place)?));
        }
        text.push('.');
        text.push_str(fraction.get(..scale)?);
    }
    if sign == 0x4000 {
        text.insert(0, '-');
    }
    Some(text)
}
