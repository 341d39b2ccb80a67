//! Facts that several cells share, each with its source. What they mean: `FAILURE_MODES.md`.

use std::time::Duration;

use hapax_core::capability::{Failures, Meaning, Native, Need, Query, Repeat, Row, Scope, Source, Window};
use hapax_core::identity::Form;

use crate::client::{ASSOCIATION_IS_WRONG, VALUE_IS_TAKEN};

const READ: &str = "2026-11-28";

const SPEC: Source = Source::spec("https://github.com/HubSpot/HubSpot-public-api-spec-collection", READ);
const CONTACTS: Source =
    Source::official("https://developers.hubspot.com/docs/api-reference/latest/crm/objects/contacts/guide", READ);
const PROPERTIES: Source =
    Source::official("https://developers.hubspot.com/docs/api-reference/latest/crm/properties/guide", READ);
const UNIQUE: Source =
    Source::official("https://developers.hubspot.com/changelog/unique-properties-for-contacts", READ);
const SINGLE_SEND: Source =
    Source::official("https://developers.hubspot.com/docs/api-reference/latest/marketing/single-send/guide", READ);
const ERRORS: Source = Source::official("https://developers.hubspot.com/docs/api-reference/error-handling", READ);
/// What others met when a unique value was taken; no document has it.
const SEEN: Source = Source::practice("https://github.com/HubSpot/hubspot-api-nodejs/issues/545", READ);
/// What others met when an association was wrong; whether the record was made then no document says.
const SEEN_OF_ASSOCIATIONS: Source = Source::practice("https://github.com/HubSpot/hubspot-api-nodejs/issues/646", READ);

/// The property of deals, tickets and notes that carries our key.
pub(crate) const KEY: &str = "hapax_key";

/// Form of our key in it.
const KEY_FORM: Form = Form::Text(32);

/// What somebody must set up once for deals.
pub(crate) const DEALS_KEY: Need = Need::Setting("deals have the property hapax_key with unique values");
/// What somebody must set up once for tickets.
pub(crate) const TICKETS_KEY: Need = Need::Setting("tickets have the property hapax_key with unique values");
/// What somebody must set up once for notes, if HubSpot lets them.
pub(crate) const NOTES_KEY: Need = Need::Setting("notes have the property hapax_key with unique values");

/// The kind of record whose property a need is about.
pub(crate) fn kind_of_key(need: Need) -> Option<&'static str> {
    let kinds = [(DEALS_KEY, "deals"), (TICKETS_KEY, "tickets"), (NOTES_KEY, "notes")];
    kinds.into_iter().find(|(known, _)| *known == need).map(|(_, kind)| kind)
}

/// A value of a unique property can't be entered a second time. What two at once come to is not said.
const fn unique(needs: &'static [Need], sources: &'static [Source]) -> Native {
    Native::client_id(KEY, KEY_FORM)
        .kept(Window::Ever, "somebody deletes the record, merges it into another one or takes its key away")
        .undone_by("deletes what was made, merges it into another record or takes its key away")
        .repeat(Repeat::Refuses)
        .failures(Failures::Unknown)
        .scope(&[Scope::Account])
        .needs(needs)
        .from(sources)
}

/// A record is read by its unique value. How soon is not said, so the lag is presumed and an absence only suggests.
const fn by_key(needs: &'static [Need], sources: &'static [Source]) -> Query {
    Query::by_mark(KEY, KEY_FORM).reads_one().reaches(Window::Ever).needs(needs).from(sources)
}

const GUIDED: &[Source] = &[PROPERTIES, UNIQUE, SPEC];
/// The guides name every other kind of record where they speak of unique values, so of notes they are no source.
const DESCRIBED: &[Source] = &[SPEC];

pub(crate) const UNIQUE_DEAL: Native = unique(&[DEALS_KEY], GUIDED);
pub(crate) const DEAL_BY_KEY: Query = by_key(&[DEALS_KEY], GUIDED);
pub(crate) const UNIQUE_TICKET: Native = unique(&[TICKETS_KEY], GUIDED);
pub(crate) const TICKET_BY_KEY: Query = by_key(&[TICKETS_KEY], GUIDED);
pub(crate) const UNIQUE_NOTE: Native = unique(&[NOTES_KEY], DESCRIBED);
pub(crate) const NOTE_BY_KEY: Query = by_key(&[NOTES_KEY], DESCRIBED);

/// The same values again are the same contact with the same values.
pub(crate) const SAME_VALUES: Native = Native::state("the contact's unique value")
    .kept(Window::Ever, "an upsert puts values in the place of values")
    .repeat(Repeat::Converges)
    .scope(&[Scope::Account])
    .from(&[CONTACTS, SPEC]);

/// The contact, read by the value that an upsert finds it by.
pub(crate) const CONTACT: Query = Query::by_token().reaches(Window::Ever).from(&[CONTACTS, SPEC]);

/// At most one mail is sent for it. It exists against duplicates, and for how long is not said.
pub(crate) const SEND_ID: Native = Native::key("message.sendId", Form::Uuid)
    .kept(Window::Unstated, "undocumented")
    .repeat(Repeat::Converges)
    .failures(Failures::Unknown)
    .scope(&[Scope::Account])
    .from(&[SINGLE_SEND, SPEC]);

/// How long we wait until a send is accepted: short, so that a repeat still fits into what is presumed of a `sendId`.
pub(crate) const ACCEPTED_WITHIN: Duration = Duration::from_secs(30);

// Rows that several cells share. 423, 429 and 477 have none: nobody says that nothing was done.
pub(crate) const UNAUTHORIZED: Row = Row::new(401, "*", "*", Meaning::NotDone, ERRORS);
/// What answers to the creation of a record mean. A taken key may be our own doing. Where an association is wrong nobody
/// says that the record was not made without it.
pub(crate) const CREATING: &[Row] = &[
    UNAUTHORIZED,
    Row::new(0, "*", VALUE_IS_TAKEN, Meaning::Taken, SEEN),
    Row::new(409, "*", "*", Meaning::Taken, SEEN),
    Row::new(0, "*", ASSOCIATION_IS_WRONG, Meaning::Unclear, SEEN_OF_ASSOCIATIONS),
    // Also where nothing says what is wrong: words about an association are not written anywhere.
    Row::new(400, "*", "", Meaning::Unclear, SEEN_OF_ASSOCIATIONS),
    Row::new(404, "*", "*", Meaning::Unclear, SEEN_OF_ASSOCIATIONS),
];
/// Somebody was faster, or another contact has one of the values; the look says whether it is so.
pub(crate) const VALUE_TAKEN: Row = Row::new(0, "*", VALUE_IS_TAKEN, Meaning::Unclear, SEEN);

#[cfg(test)]
mod tests {
    use hapax_core::capability::{CellSpec, Completion, Lasting, Need, SecondEffect, guarantee};
    use hapax_core::cell::Cell;

    use super::*;
    use crate::{CreateDealCell, CreateNoteCell, CreateTicketCell, SendSingleEmailCell, UpsertContactCell};

    #[test]
    fn guarantees_follow_from_the_facts() {
        let check = |spec: &CellSpec, effects: &[(SecondEffect, Lasting)], completion: Completion, needs: &[Need]| {
            let (guarantee, asked) = spec.published();
            assert_eq!(guarantee.second_effect, effects, "{}: {}", spec.id, guarantee.sentence());
            assert_eq!((guarantee.completion, asked.as_slice()), (completion, needs), "{}", spec.id);
            assert!(guarantee.belts.is_empty(), "{}", spec.id);
            assert!(guarantee.assumes.iter().any(|what| what.contains("presumed")), "settle is not documented");
        };
        let for_good = [(SecondEffect::Enforced, Lasting::Ever)];
        check(UpsertContactCell::SPEC, &for_good, Completion::Automatic, &[]);
        check(CreateDealCell::SPEC, &for_good, Completion::Automatic, &[DEALS_KEY]);
        check(CreateTicketCell::SPEC, &for_good, Completion::Automatic, &[TICKETS_KEY]);
        check(CreateNoteCell::SPEC, &for_good, Completion::Automatic, &[NOTES_KEY]);
        for spec in [CreateDealCell::SPEC, CreateTicketCell::SPEC, CreateNoteCell::SPEC] {
            let (guarantee, _) = spec.published();
            assert!(guarantee.assumes.iter().any(|what| what.contains("nobody deletes")), "{:?}", guarantee.assumes);
        }
        let (mail, _) = SendSingleEmailCell::SPEC.published();
        let kept = "the provider keeps to message.sendId: a second effect would show nowhere";
        assert!(mail.assumes.iter().any(|what| what == kept), "{:?}", mail.assumes);
        let presumed = [(SecondEffect::Enforced, Lasting::Seconds(300)), (SecondEffect::Withheld, Lasting::Ever)];
        check(SendSingleEmailCell::SPEC, &presumed, Completion::AutomaticWithin(300), &[]);
    }

    fn guards_nothing_without_its_need(spec: &CellSpec) {
        let unmet = guarantee(spec, &|_| false, false);
        assert_eq!(unmet.second_effect, [(SecondEffect::Withheld, Lasting::Ever)], "{}", spec.id);
        assert_eq!((unmet.completion, unmet.belts), (Completion::NeedsPerson, vec![KEY.to_owned()]), "{}", spec.id);
    }

    #[test]
    fn create_deal_property_that_is_not_unique_guards_nothing() {
        guards_nothing_without_its_need(CreateDealCell::SPEC);
        guards_nothing_without_its_need(CreateTicketCell::SPEC);
    }

    #[test]
    fn create_note_property_that_is_not_unique_guards_nothing() {
        guards_nothing_without_its_need(CreateNoteCell::SPEC);
        // A property of deals says nothing of notes.
        let guarantee = guarantee(CreateNoteCell::SPEC, &|need| *need == DEALS_KEY, false);
        assert_eq!(guarantee.completion, Completion::NeedsPerson);
    }
}
