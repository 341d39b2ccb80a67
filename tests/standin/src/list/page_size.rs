/// How many records a page has.
///
/// ```
/// use hapax_standin::{Beyond, PageSize, UnfitPageSize};
///
/// const SIZE: PageSize = PageSize { usual: 10, most: 100, beyond: Beyond::Refused };
/// assert_eq!(SIZE.read(None), Ok(10));
/// assert_eq!(SIZE.read(Some("100")), Ok(100));
/// assert_eq!(SIZE.read(Some("101")), Err(UnfitPageSize::OutOfRange));
/// assert_eq!(SIZE.read(Some("ten")), Err(UnfitPageSize::NoNumber));
/// assert_eq!(PageSize { beyond: Beyond::Clamped, ..SIZE }.read(Some("101")), Ok(100));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PageSize {
    /// The size if the request does not say.
    pub usual: usize,
    /// The largest; the smallest is 1.
    pub most: usize,
    /// What becomes of a size outside of that.
    pub beyond: Beyond,
}

/// What becomes of a page size out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// The request is refused.
    Refused,
    /// The nearest size in range is taken.
    Clamped,
}

/// Why a page size was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfitPageSize {
    /// It is no whole number without a sign.
    NoNumber,
    /// It is less than 1 or more than the largest.
    OutOfRange,
}

impl PageSize {
    /// The size that a request asks for.
    ///
    /// # Errors
    /// It is no number, or out of range where that is refused.
    pub fn read(&self, text: Option<&str>) -> Result<usize, UnfitPageSize> {
        let Some(text) = text else { return Ok(self.usual) };
        let size: usize = text.parse().map_err(|_| UnfitPageSize::NoNumber)?;
        match self.beyond {
            Beyond::Clamped => Ok(size.clamp(1, self.most)),
            Beyond::Refused if (1..=self.most).contains(&size) => Ok(size),
            Beyond::Refused => Err(UnfitPageSize::OutOfRange),
        }
    }
}
