use percent_encoding::percent_decode_str;

/// The parameters that a path pattern names, with what stood in their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathParams(Vec<(String, String)>);

impl PathParams {
    /// The parameter, percent-decoded.
    ///
    /// # Panics
    /// The pattern has no parameter of this name, which is a mistake in the stand-in.
    pub fn get(&self, name: &str) -> String {
        percent_decode_str(self.raw(name)).decode_utf8_lossy().into_owned()
    }

    /// The parameter as it came: percent-encoded.
    ///
    /// # Panics
    /// The pattern has no parameter of this name, which is a mistake in the stand-in.
    pub fn raw(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("the pattern has no parameter {{{name}}}"))
    }
}

/// A path with places left open: `/v1/things/{id}`, `/Messages/{sid}.json`, `/contents/{*path}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(Vec<Segment>);

/// In the order in which they win over each other.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Literal(String),
    Param {
        before: String,
        name: String,
        after: String,
    },
    /// The rest of the path, one segment or more.
    Rest(String),
}

impl Pattern {
    /// # Panics
    /// A brace without its partner, or something after `{*rest}`.
    pub(crate) fn parse(text: &str) -> Self {
        let segments: Vec<Segment> = text.split('/').filter(|part| !part.is_empty()).map(Segment::parse).collect();
        let rest = segments.iter().position(|segment| matches!(segment, Segment::Rest(_)));
        assert!(rest.is_none_or(|at| at + 1 == segments.len()), "nothing comes after the rest: {text}");
        Self(segments)
    }

    /// The parameters, if the path has this shape.
    pub(crate) fn matches(&self, path: &str) -> Option<PathParams> {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let mut params = Vec::new();
        for (at, segment) in self.0.iter().enumerate() {
            let part = parts.get(at)?;
            match segment {
                Segment::Literal(literal) if literal == part => {}
                Segment::Literal(_) => return None,
                Segment::Param { before, name, after } => {
                    let value = part.strip_prefix(before.as_str())?.strip_suffix(after.as_str())?;
                    params.push((name.clone(), Some(value).filter(|value| !value.is_empty())?.to_owned()));
                }
                Segment::Rest(name) => {
                    params.push((name.clone(), parts[at..].join("/")));
                    return Some(PathParams(params));
                }
            }
        }
        (parts.len() == self.0.len()).then_some(PathParams(params))
    }

    /// How exact it is; of two patterns that match, the lower one is meant.
    pub(crate) fn rank(&self) -> Vec<u8> {
        self.0.iter().map(Segment::rank).collect()
    }

    /// Whether the two are for the same paths, whatever their parameters are called.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(one, two)| one.is_like(two))
    }
}

impl Segment {
    fn parse(part: &str) -> Self {
        let Some((before, rest)) = part.split_once('{') else { return Self::Literal(part.to_owned()) };
        let (name, after) = rest.split_once('}').unwrap_or_else(|| panic!("a brace stays open: {part}"));
        match name.strip_prefix('*') {
            Some(name) => Self::Rest(name.to_owned()),
            None => Self::Param { before: before.to_owned(), name: name.to_owned(), after: after.to_owned() },
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Literal(_) => 0,
            Self::Param { before, after, .. } if !(before.is_empty() && after.is_empty()) => 1,
            Self::Param { .. } => 2,
            Self::Rest(_) => 3,
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Literal(one), Self::Literal(two)) => one == two,
            (Self::Param { before, after, .. }, Self::Param { before: other_before, after: other_after, .. }) => {
                (before, after) == (other_before, other_after)
            }
            (Self::Rest(_), Self::Rest(_)) => true,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_their_parameters() {
        #[track_caller]
        fn check(pattern: &str, path: &str, expected: Option<&[(&str, &str)]>) {
            let expected = expected.map(|pairs| {
                PathParams(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
            });
            assert_eq!(Pattern::parse(pattern).matches(path), expected, "{pattern} {path}");
        }
        check("/v1/things", "/v1/things", Some(&[]));
        check("/v1/things", "/v1/things/", Some(&[]));
        check("/v1/things", "/v1/things/1", None);
        check("/v1/things/{id}", "/v1/things", None);
        check("/v1/things/{id}", "/v1/things/a%2Fb", Some(&[("id", "a%2Fb")]));
        check("/v1/{kind}/{id}/send", "/v1/drafts/d1/send", Some(&[("kind", "drafts"), ("id", "d1")]));
        check("/Messages/{sid}.json", "/Messages/SM1.json", Some(&[("sid", "SM1")]));
        check("/Messages/{sid}.json", "/Messages/.json", None);
        check("/Messages/{sid}.json", "/Messages/SM1", None);
        check("/contents/{*path}", "/contents/src/lib.rs", Some(&[("path", "src/lib.rs")]));
        check("/contents/{*path}", "/contents", None);
    }

    #[test]
    fn a_parameter_is_decoded_or_raw() {
        let params = Pattern::parse("/{id}").matches("/a%2Fb+c").expect("it matches");
        assert_eq!((params.get("id").as_str(), params.raw("id")), ("a/b+c", "a%2Fb+c"));
    }

    #[test]
    #[should_panic(expected = "no parameter {name}")]
    fn an_unknown_parameter_is_loud() {
        Pattern::parse("/{id}").matches("/1").expect("it matches").raw("name");
    }
}
