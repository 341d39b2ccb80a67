/// The states of an object and what leads from one to another, with the provider's error for what does not.
///
/// ```
/// use hapax_standin::Machine;
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum State { Created, Approved, Completed }
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Action { Approve, Capture }
/// use {Action::*, State::*};
///
/// const ORDER: Machine<State, Action, &str> = Machine {
///     transitions: &[(Approve, &[Created], Approved), (Capture, &[Approved], Completed)],
///     refusals: &[(Capture, &[Created], "ORDER_NOT_APPROVED"), (Capture, &[Completed], "ORDER_ALREADY_CAPTURED")],
///     otherwise: "INVALID_STATE",
/// };
/// assert_eq!(ORDER.step(Approved, Capture), Ok(Completed));
/// assert_eq!(ORDER.step(Completed, Capture), Err("ORDER_ALREADY_CAPTURED"));
/// assert_eq!(ORDER.step(Approved, Approve), Err("INVALID_STATE"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Machine<S: 'static, A: 'static, E: 'static> {
    /// What an action leads to, from which states.
    pub transitions: &'static [(A, &'static [S], S)],
    /// The error of an action in states where it is forbidden.
    pub refusals: &'static [(A, &'static [S], E)],
    /// The error of what is in neither list.
    pub otherwise: E,
}

impl<S: Copy + PartialEq, A: PartialEq, E: Copy> Machine<S, A, E> {
    /// The state that an action leads to.
    ///
    /// # Errors
    /// The action is forbidden in this state.
    pub fn step(&self, state: S, action: A) -> Result<S, E> {
        let allowed = self.transitions.iter().find(|(on, from, _)| *on == action && from.contains(&state));
        if let Some((_, _, to)) = allowed {
            return Ok(*to);
        }
        let refused = self.refusals.iter().find(|(on, from, _)| *on == action && from.contains(&state));
        Err(refused.map_or(self.otherwise, |(_, _, error)| *error))
    }
}
