use super::listing::Listing;
use crate::injection::Twists;

/// Something that a provider keeps under an id.
pub trait Record {
    /// The provider's id of it.
    fn id(&self) -> &str;

    /// When it was made, in milliseconds of the provider's time.
    fn created_ms(&self) -> i64;
}

/// Records by id, oldest first.
#[derive(Clone, Debug)]
pub struct Collection<T>(Vec<T>);

impl<T: Record> Collection<T> {
    /// Adds a record as the newest.
    ///
    /// # Panics
    /// There is a record with this id. Where ids are the caller's, ask [`contains`](Self::contains) first.
    pub fn add(&mut self, record: T) -> &mut T {
        assert!(!self.contains(record.id()), "the id {} is taken", record.id());
        let at = self.0.len();
        self.0.push(record);
        &mut self.0[at]
    }

    /// The record with this id.
    pub fn get(&self, id: &str) -> Option<&T> {
        self.0.iter().find(|record| record.id() == id)
    }

    /// The record with this id, to be changed.
    pub fn get_mut(&mut self, id: &str) -> Option<&mut T> {
        self.0.iter_mut().find(|record| record.id() == id)
    }

    /// Whether there is a record with this id.
    pub fn contains(&self, id: &str) -> bool {
        self.get(id).is_some()
    }

    /// Takes a record out.
    pub fn remove(&mut self, id: &str) -> Option<T> {
        let at = self.0.iter().position(|record| record.id() == id)?;
        Some(self.0.remove(at))
    }

    /// What a list or a search shows now, oldest first: all that no injected lag or horizon hides.
    pub fn list(&self, now_ms: i64, twists: &Twists) -> Listing<'_, T> {
        Listing::new(&self.0, now_ms, twists)
    }
}

impl<T> Collection<T> {
    /// All records, oldest first.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// All records, oldest first, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.0.iter_mut()
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes all records out.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<T> Default for Collection<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Record> FromIterator<T> for Collection<T> {
    fn from_iter<I: IntoIterator<Item = T>>(records: I) -> Self {
        let mut collection = Self::default();
        for record in records {
            collection.add(record);
        }
        collection
    }
}

impl<'a, T> IntoIterator for &'a Collection<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut Collection<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use crate::list::testing::{numbered, numbers};

    #[test]
    fn records_are_found_changed_and_taken_out_by_id() {
        let mut numbers = numbers(3);
        numbers.get_mut("n2").expect("it is there").1 = 7;
        assert_eq!(numbers.get("n2").map(|record| record.1), Some(7));
        assert_eq!(numbers.remove("n2").map(|record| record.1), Some(7));
        assert!(numbers.remove("n2").is_none() && !numbers.contains("n2"));
        assert_eq!(numbers.iter().map(|record| record.0.as_str()).collect::<Vec<_>>(), ["n1", "n3"]);
    }

    #[test]
    #[should_panic(expected = "the id n1 is taken")]
    fn an_id_is_given_once() {
        numbers(1).add(numbered(1));
    }
}
