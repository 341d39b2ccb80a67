//! Ports for servers that are told where to listen.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Below what Linux gives to connections that leave: those come and go by the hundred in tests, and each would take a
/// port away from a server that has yet to start, or is away for a moment.
const PORTS: Range<u32> = 10_000..32_000;

/// How far processes lie apart, whose ids follow each other.
const APART: u32 = 97;

/// A port of 127.0.0.1 for a server that can't choose one by itself. It is free now, and nobody else takes it by chance.
///
/// # Errors
/// None is free.
pub fn lasting() -> io::Result<u16> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id().wrapping_mul(APART);
    for _ in PORTS {
        let place = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % (PORTS.end - PORTS.start);
        let port = u16::try_from(PORTS.start + place).map_err(io::Error::other)?;
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(_) => return Ok(port),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AddrInUse.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_given_twice_nor_one_that_is_taken() {
        let one = lasting().expect("a port");
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, one + 1));
        let more: Vec<u16> = (0..20).map(|_| lasting().expect("a port")).collect();
        assert!(!more.contains(&one));
        assert!(taken.is_err() || !more.contains(&(one + 1)));
    }
}
