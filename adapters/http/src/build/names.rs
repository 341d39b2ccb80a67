//! Names in templates: that each is given by something, and that what is relied on is really there.
//!
//! A name that nothing gives is absent, and what is absent is left out of requests and comparisons. So a slip would send
//! less than was meant, or take everybody's records for ours.

use std::ops::Range;

use hapax_core::capability::Kind;
use toml::Spanned;

use super::Built;
use crate::arguments::Arguments;
use crate::declaration::{CellDeclaration, LookDeclaration};
use crate::problem::Page;
use crate::request::RequestTemplate;
use crate::template::{OWN, names};

/// What the templates of one cell may name.
pub(super) struct Names<'a> {
    page: Page<'a>,
    cell: &'a CellDeclaration,
    arguments: &'a Arguments,
    sent: Vec<String>,
}

impl<'a> Names<'a> {
    /// Checks the names of a cell.
    pub(super) fn of(
        page: Page<'a>,
        cell: &'a CellDeclaration,
        arguments: &'a Arguments,
        request: &RequestTemplate,
    ) -> Built<Self> {
        let names = Self { page, cell, arguments, sent: request.names() };
        names.arguments_leave_ours()?;
        names.request()?;
        names.tokens_are_sent()?;
        for (at, value) in &cell.receipt.echo {
            names.compared(value, &format!("`{at}`"))?;
        }
        for name in &cell.volatile {
            names.argument(name, "volatile")?;
        }
        names.money()?;
        names.person()?;
        Ok(names)
    }

    fn arguments_leave_ours(&self) -> Built<()> {
        match self.arguments.names().into_iter().find(|name| OWN.contains(name)) {
            Some(name) => {
                let why = format!("`{name}` is hapax's own name in templates; call the argument otherwise");
                Err(self.page.problem(&self.cell.arguments.span(), why))
            }
            None => Ok(()),
        }
    }

    /// A request names arguments, its mark, and the token that is declared.
    fn request(&self) -> Built<()> {
        let span = self.cell.request.path.span();
        for (token, guard) in [("key", &self.cell.key), ("id", &self.cell.id)] {
            if guard.is_none() && self.sends(token) {
                let why = format!("the request names `{token}`, and there is no [{token}] that says what it guards");
                return Err(self.page.problem(&span, why));
            }
        }
        let known = |name: &&String| OWN.contains(&name.as_str()) || self.arguments.knows(name);
        match self.sent.iter().find(|name| !known(name)) {
            Some(unknown) => {
                let why = format!("the request names `{unknown}`, which is no argument; declare it in arguments");
                Err(self.page.problem(&self.where_named(unknown), why))
            }
            None => Ok(()),
        }
    }

    /// The text of the request that names it, as far as that can be told; else the request's path.
    fn where_named(&self, name: &str) -> Range<usize> {
        let request = &self.cell.request;
        let texts = request
            .query
            .values()
            .chain(request.headers.values())
            .chain(request.form.iter().flat_map(|form| form.values()));
        let text = texts.chain([&request.path]).find(|text| names(text.get_ref()).iter().any(|known| known == name));
        let in_json = || request.json.as_ref().map(|json| self.page.inside(&json.span(), name));
        text.map(Spanned::span).or_else(in_json).unwrap_or_else(|| request.path.span())
    }

    /// A guard whose token isn't in the request guards nothing, and a request has one token.
    fn tokens_are_sent(&self) -> Built<()> {
        for guard in [&self.cell.key, &self.cell.id, &self.cell.state].into_iter().flatten() {
            if guard.get_ref().field.is_empty() {
                let why = "say which header or field carries it, or which state it is: add `field`";
                return Err(self.page.problem(&guard.span(), why));
            }
        }
        for (name, guard) in [("key", &self.cell.key), ("id", &self.cell.id)] {
            let Some(guard) = guard else { continue };
            let field = &guard.get_ref().field;
            if !self.sends(name) {
                let why = format!("the request doesn't carry it: write {{{{ {name} }}}} where {field} goes");
                return Err(self.page.problem(&guard.span(), why));
            }
        }
        match (&self.cell.key, &self.cell.id) {
            (Some(_), Some(id)) => {
                let why = "a cell has a key or an id, not both: one token makes it happen once";
                Err(self.page.problem(&id.span(), why))
            }
            _ => Ok(()),
        }
    }

    /// A policy by amount sees what it can read, so both must always be there.
    fn money(&self) -> Built<()> {
        let Some(money) = &self.cell.money else { return Ok(()) };
        for (name, kind, what) in
            [(&money.amount, "integer", "an integer in the minor unit"), (&money.currency, "string", "a string")]
        {
            if !self.arguments.requires_a(name.get_ref(), kind) {
                let why = format!("money: `{}` must be a required argument, {what}", name.get_ref());
                return Err(self.page.problem(&name.span(), why));
            }
        }
        Ok(())
    }

    /// Where a person looks: a name that nothing gives would stand there as it is, when it matters most.
    fn person(&self) -> Built<()> {
        let place = &self.cell.person;
        let problem = |why: String| Err(self.page.problem(&place.span(), why));
        if place.get_ref().contains("{{") {
            return problem("person takes single braces: {mark}, or an argument's name".to_owned());
        }
        let named = place.get_ref().split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
        let known = |name: &str| name == "mark" || self.arguments.knows(name);
        match named.into_iter().find(|name| !known(name)) {
            Some(unknown) => problem(format!("person names {{{unknown}}}, which is neither an argument nor `mark`")),
            None => Ok(()),
        }
    }

    fn argument(&self, name: &Spanned<String>, what: &str) -> Built<()> {
        if self.arguments.knows(name.get_ref()) {
            return Ok(());
        }
        Err(self.page.problem(&name.span(), format!("{what}: there is no argument `{}`", name.get_ref())))
    }

    /// What is compared or asked for is an argument, or what the request carries of ours.
    fn compared(&self, value: &Spanned<String>, what: &str) -> Built<Vec<String>> {
        let names = names(value.get_ref());
        for name in &names {
            let why = match (OWN.contains(&name.as_str()), self.sends(name), self.arguments.knows(name)) {
                (true, true, _) | (false, _, true) => continue,
                (true, false, _) => {
                    format!("{what} goes by `{name}`, which the request doesn't carry: write {{{{ {name} }}}} there")
                }
                (false, _, false) => format!("{what} names `{name}`, which is no argument; declare it in arguments"),
            };
            return Err(self.page.problem(&value.span(), why));
        }
        Ok(names)
    }

    /// A look must tell ours from everybody else's, whatever was asked for.
    pub(super) fn tell_ours_apart(&self, look: &LookDeclaration, span: &Range<usize>) -> Built<()> {
        let mut tells = Vec::new();
        for (at, value) in &look.ours {
            tells.extend(self.compared(value, &format!("`{at}`"))?);
        }
        let mut asks = self.compared(&look.path, "the look")?;
        for (pair, value) in &look.query {
            asks.extend(self.compared(value, &format!("`{pair}`"))?);
        }
        let always = |name: &String| OWN.contains(&name.as_str()) || self.arguments.requires(name);
        // One record that is read by what it is about needs no more than its state.
        let is_one_record = look.hits.is_none() && self.cell.kind == Some(Kind::BeSo) && asks.iter().any(always);
        if look.ours.is_empty() || !(tells.iter().any(always) || is_one_record) {
            let why = "`ours` must say what a record holds that makes it ours: {{ mark }}, {{ id }}, or an argument that \
                       is required";
            return Err(self.page.problem(span, why));
        }
        Ok(())
    }

    fn sends(&self, name: &str) -> bool {
        self.sent.iter().any(|known| known == name)
    }
}
