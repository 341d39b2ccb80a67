//! A declared request, written for one operation.

use hapax_core::transport::{Body, Method, Request};
use serde_json::{Map, Value};

use crate::template::{Scope, Template};

/// A request whose texts are templates.
#[derive(Clone, Debug)]
pub(crate) struct RequestTemplate {
    pub(crate) method: Method,
    pub(crate) path: Template,
    pub(crate) query: Vec<(String, Template)>,
    pub(crate) headers: Vec<(String, Template)>,
    pub(crate) body: BodyTemplate,
}

/// What it carries.
#[derive(Clone, Debug)]
pub(crate) enum BodyTemplate {
    Empty,
    Form(Vec<(String, Template)>),
    Json(JsonTemplate),
}

/// JSON in which texts are templates.
#[derive(Clone, Debug)]
pub(crate) enum JsonTemplate {
    Text(Template),
    List(Vec<JsonTemplate>),
    Object(Vec<(String, JsonTemplate)>),
    Other(Value),
}

impl RequestTemplate {
    /// The request for what is in scope.
    ///
    /// # Errors
    /// What can't be written. Nothing was sent then.
    pub(crate) fn write(&self, scope: &Scope) -> Result<Request, String> {
        let path = self.path.render(scope)?.ok_or("the path is an argument that is absent")?;
        let mut request = Request::new(self.method, path);
        request.query = pairs(&self.query, scope)?;
        request.headers = pairs(&self.headers, scope)?;
        request.body = match &self.body {
            BodyTemplate::Empty => Body::Empty,
            BodyTemplate::Form(fields) => Body::Form(pairs(fields, scope)?),
            BodyTemplate::Json(json) => Body::Json(json.write(scope)?.unwrap_or_default()),
        };
        Ok(request)
    }

    /// Names that its templates read.
    pub(crate) fn names(&self) -> Vec<String> {
        let pairs = self.query.iter().chain(&self.headers).map(|(_, template)| template);
        let mut names: Vec<String> = pairs.chain([&self.path]).flat_map(Template::names).collect();
        match &self.body {
            BodyTemplate::Empty => {}
            BodyTemplate::Form(fields) => names.extend(fields.iter().flat_map(|(_, template)| template.names())),
            BodyTemplate::Json(json) => names.extend(json.names()),
        }
        names
    }
}

/// Pairs whose templates give something.
pub(crate) fn pairs(templates: &[(String, Template)], scope: &Scope) -> Result<Vec<(String, String)>, String> {
    let mut written = Vec::new();
    for (name, template) in templates {
        let value = template.render(scope).map_err(|why| format!("{name}: {why}"))?;
        written.extend(value.map(|value| (name.clone(), value)));
    }
    Ok(written)
}

impl JsonTemplate {
    /// The value; absent ones are left out of objects and lists.
    pub(crate) fn write(&self, scope: &Scope) -> Result<Option<Value>, String> {
        Ok(match self {
            Self::Text(template) => template.value(scope)?,
            Self::Other(value) => Some(value.clone()),
            Self::List(items) => {
                let mut written = Vec::new();
                for item in items {
                    written.extend(item.write(scope)?);
                }
                Some(Value::Array(written))
            }
            Self::Object(fields) => {
                let mut written = Map::new();
                for (name, field) in fields {
                    let value = field.write(scope).map_err(|why| format!("{name}: {why}"))?;
                    written.extend(value.map(|value| (name.clone(), value)));
                }
                Some(Value::Object(written))
            }
        })
    }

    fn names(&self) -> Vec<String> {
        match self {
            Self::Text(template) => template.names(),
            Self::Other(_) => Vec::new(),
            Self::List(items) => items.iter().flat_map(Self::names).collect(),
            Self::Object(fields) => fields.iter().flat_map(|(_, field)| field.names()).collect(),
        }
    }
}
