use crate::pattern::{PathParams, Pattern};

/// Which request asks for what: methods and path patterns, each with its target.
///
/// A pattern is a path whose segments may be parameters: `{id}` for a whole segment, `{id}.json` for a part of one, and
/// `{*path}` at the end for all that is left. Of several patterns that match, the most exact one is meant, from the left:
/// a literal before a parameter before the rest. The method `*` is any that isn't declared for the path.
///
/// ```
/// use hapax_standin::{Routed, Router};
///
/// let router = Router::new().on("GET", "/drafts/{id}", "show").on("POST", "/drafts/send", "send");
/// let Routed::Found(target, params) = router.find("GET", "/drafts/d1") else { panic!("a route") };
/// assert_eq!((*target, params.get("id")), ("show", "d1".to_owned()));
/// assert!(matches!(router.find("DELETE", "/drafts/d1"), Routed::OtherMethod(allowed) if allowed == ["GET"]));
/// assert!(matches!(router.find("GET", "/mails"), Routed::Unknown));
/// ```
#[derive(Clone, Debug)]
pub struct Router<T>(Vec<Route<T>>);

#[derive(Clone, Debug)]
struct Route<T> {
    method: String,
    pattern: Pattern,
    target: T,
}

/// What a router knows of a request.
#[derive(Clone, Debug)]
pub enum Routed<'a, T> {
    /// What it asks for, and the parameters of its path.
    Found(&'a T, PathParams),
    /// The path is there, with these methods.
    OtherMethod(Vec<&'a str>),
    /// There is no such path.
    Unknown,
}

impl<T> Router<T> {
    /// A router without routes.
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a route.
    ///
    /// # Panics
    /// The pattern can't be read, or there is such a route already.
    pub fn on(mut self, method: &str, pattern: &str, target: T) -> Self {
        let route = Route { method: method.to_ascii_uppercase(), pattern: Pattern::parse(pattern), target };
        let twin = self.0.iter().any(|known| known.method == route.method && known.pattern.is_like(&route.pattern));
        assert!(!twin, "a second route for {method} {pattern}");
        self.0.push(route);
        self
    }

    /// Finds what a request with this method and path (without its query) asks for.
    pub fn find(&self, method: &str, path: &str) -> Routed<'_, T> {
        let matching = || self.0.iter().filter_map(|route| Some((route, route.pattern.matches(path)?)));
        let wanted = matching().filter(|(route, _)| route.method.eq_ignore_ascii_case(method) || route.method == "*");
        let best = wanted.min_by_key(|(route, _)| (route.pattern.rank(), route.method == "*"));
        match best {
            Some((route, params)) => Routed::Found(&route.target, params),
            None => {
                let methods: Vec<&str> = matching().map(|(route, _)| route.method.as_str()).collect();
                if methods.is_empty() { Routed::Unknown } else { Routed::OtherMethod(methods) }
            }
        }
    }
}

impl<T> Default for Router<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_exact_pattern_wins_in_whatever_order_they_are_declared() {
        let one = Router::new().on("GET", "/a/{id}", 1).on("GET", "/a/{*rest}", 2).on("GET", "/a/by-name", 3);
        let two = Router::new().on("GET", "/a/by-name", 3).on("GET", "/a/{*rest}", 2).on("GET", "/a/{id}", 1);
        for router in [one, two] {
            let find = |path: &str| match router.find("GET", path) {
                Routed::Found(target, _) => *target,
                other => panic!("{other:?}"),
            };
            assert_eq!((find("/a/by-name"), find("/a/x"), find("/a/x/y")), (3, 1, 2));
        }
    }

    #[test]
    fn any_method_is_what_no_other_route_of_the_path_takes() {
        let router = Router::new().on("*", "/token", 1).on("POST", "/token", 2);
        assert!(matches!(router.find("POST", "/token"), Routed::Found(2, _)));
        assert!(matches!(router.find("PUT", "/token"), Routed::Found(1, _)));
    }

    #[test]
    #[should_panic(expected = "a second route")]
    fn two_routes_for_the_same_requests_are_a_mistake() {
        let _ = Router::new().on("GET", "/a/{id}", ()).on("get", "/a/{name}", ());
    }
}
