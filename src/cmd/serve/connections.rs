//! Connections: how many there may be, and how long they may take.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;

use super::routes::Site;

/// Connections at once.
pub(super) const MOST_CONNECTIONS: usize = 200;
/// Time for the headers of a request, also of the next one of a connection.
const FOR_HEADERS: Duration = Duration::from_secs(20);
/// Pause after the system has refused a connection.
const AFTER_FAULT: Duration = Duration::from_millis(100);
/// Bytes of a request's headers.
const BUFFER: usize = 32 << 10;
/// Headers of a request.
const MOST_HEADERS: usize = 64;

/// What those get for whom there is no room.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// Accepts connections for ever.
pub(super) async fn accept(listener: TcpListener, site: Arc<Site>) {
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(AFTER_FAULT).await;
            continue;
        };
        match Arc::clone(&room).try_acquire_owned() {
            Ok(place) => {
                tokio::spawn(talk(stream, Arc::clone(&site), place));
            }
            Err(_) => refuse(&stream),
        }
    }
}

/// Says that there is no room, as far as that can be said at once, and closes.
fn refuse(stream: &TcpStream) {
    // Whoever does not read it sees the connection closed.
    let _ = stream.try_write(FULL);
}

/// Answers the requests of a connection.
async fn talk(stream: TcpStream, site: Arc<Site>, _place: OwnedSemaphorePermit) {
    // Events are small and should not wait for each other.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let site = Arc::clone(&site);
        async move { Ok::<_, Infallible>(site.answer(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(FOR_HEADERS)
        .max_buf_size(BUFFER)
        .max_headers(MOST_HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    // Malformed requests and connections that break are the other side's business.
    let _ = connection.await;
}
