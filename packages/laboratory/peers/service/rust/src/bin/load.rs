//! Loads a server as `load.ts` does, with less CPU time for a request than the fastest peer takes. The messages are lines of JSON on
//! the channel that Node opens for its children: a slice, answered by "ready", then "go", answered by the result.

// cspell:ignore flavor
use std::fs::{File, read_to_string};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Slice {
    port: u16,
    requests: Vec<Expected>,
    connections: usize,
    milliseconds: u64,
    run_in: u64,
    max_requests: Option<u64>,
}

#[derive(Deserialize)]
struct Expected {
    text: String,
    status: u16,
}

/// The next request. It continues where the last slice ended, so that short slices reach every request too.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Sends requests on each connection, one after the other, and returns their number.
async fn exchange(connections: &mut Vec<TcpStream>, slice: &Arc<Slice>, milliseconds: u64, most: u64) -> u64 {
    let deadline = Instant::now() + Duration::from_millis(milliseconds);
    let sent = Arc::new(AtomicU64::new(0));
    let mut tasks = JoinSet::new();
    for mut connection in connections.drain(..) {
        let (slice, sent) = (slice.clone(), sent.clone());
        tasks.spawn(async move {
            let mut buffer = vec![0; 65536];
            let mut answers = 0;
            while Instant::now() < deadline && sent.fetch_add(1, Relaxed) < most {
                let Expected { text, status } = &slice.requests[NEXT.fetch_add(1, Relaxed) % slice.requests.len()];
                connection.write_all(text.as_bytes()).await.expect("the server reads");
                let mut length = 0;
                while !is_whole(&buffer[..length]) {
                    let more = connection.read(&mut buffer[length..]).await.expect("the server responds");
                    assert!(more > 0, "The server closed the connection.");
                    length += more;
                }
                assert_eq!(&buffer[9..12], status.to_string().as_bytes(), "unexpected status");
                answers += 1;
            }
            (connection, answers)
        });
    }
    let mut total = 0;
    for (connection, answers) in tasks.join_all().await {
        connections.push(connection);
        total += answers;
    }
    total
}

/// Whether these bytes are a complete response, which has a Content-Length.
fn is_whole(bytes: &[u8]) -> bool {
    let Some(head) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let name = b"content-length: ";
    let mut lines = bytes[..head].split(|byte| *byte == b'\n');
    let line = lines.find(|line| line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)));
    let digits = line.expect("a response has a length")[name.len()..].iter().take_while(|byte| byte.is_ascii_digit());
    let length = digits.fold(0, |sum, byte| sum * 10 + (byte - b'0') as usize);
    bytes.len() >= head + 4 + length
}

fn cpu_seconds() -> f64 {
    let text = read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).unwrap_or_default() / 1e9
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let descriptor = std::env::var("NODE_CHANNEL_FD").ok().and_then(|text| text.parse().ok()).expect("Node starts this");
    // SAFETY: the descriptor is open, and nothing else in this process owns it.
    let file = unsafe { File::from_raw_fd(descriptor) };
    let mut channel = &file;
    let mut lines = BufReader::new(&file).lines();
    while let Some(Ok(line)) = lines.next() {
        let slice: Arc<Slice> = Arc::new(serde_json::from_str(&line).expect("a slice is JSON"));
        let mut connections = Vec::new();
        for _ in 0..slice.connections {
            connections.push(TcpStream::connect(("127.0.0.1", slice.port)).await.expect("the server listens"));
        }
        exchange(&mut connections, &slice, slice.run_in, u64::MAX).await;
        writeln!(channel, "\"ready\"").expect("Node reads");
        lines.next();
        let (started, cpu) = (Instant::now(), cpu_seconds());
        let answered = exchange(&mut connections, &slice, slice.milliseconds, slice.max_requests.unwrap_or(u64::MAX)).await;
        let (seconds, used) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        writeln!(channel, r#"{{"answered":{answered},"seconds":{seconds},"cpuSeconds":{used}}}"#).expect("Node reads");
    }
}
