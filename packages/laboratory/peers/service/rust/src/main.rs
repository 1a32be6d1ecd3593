//! Serves the contract with axum and rusqlite, with every technique of the service: responses and API keys are cached until the
//! database changes, creations are committed in groups, and log lines are written in batches. The arguments are the path of the
//! database and its `synchronous`. The port is printed.

// cspell:ignore flavor
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::{mpsc, oneshot};

const MAX_GROUP: usize = 256;
const MAX_CACHE_BYTES: usize = 32 << 20;
const MAX_SAFE: i64 = (1 << 53) - 1;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pet {
    id: i64,
    name: String,
    category_id: i64,
    status: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewPet {
    name: String,
    category_id: i64,
    status: Option<String>,
}

#[derive(Serialize)]
struct Failure {
    code: &'static str,
    message: String,
    status: u16,
}

fn failure(status: u16, code: &'static str, message: impl Into<String>) -> Failure {
    Failure { code, message: message.into(), status }
}

fn invalid(message: impl Into<String>) -> Failure {
    failure(400, "invalid_request", message)
}

fn unauthorized() -> Failure {
    failure(401, "unauthorized", "A valid API key is required, sent as: Authorization: Bearer <API_KEY>.")
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        failure(500, "internal", error.to_string())
    }
}

/// A response of a GET that can be sent again.
struct Kept {
    tag: HeaderValue,
    link: Option<HeaderValue>,
    payload: Bytes,
}

/// Reads on one connection and caches what it has read until another connection commits.
struct Store {
    connection: Connection,
    is_caching: bool,
    version: i64,
    keys: HashMap<String, String>,
    responses: HashMap<String, Arc<Kept>>,
    bytes: usize,
}

fn open(path: &str, synchronous: &str) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn pet_of(row: &Row) -> rusqlite::Result<Pet> {
    Ok(Pet { id: row.get(0)?, name: row.get(1)?, category_id: row.get(2)?, status: row.get(3)? })
}

impl Store {
    fn clear_changed(&mut self) -> rusqlite::Result<()> {
        let current = self.connection.prepare_cached("pragma data_version")?.query_row([], |row| row.get(0))?;
        if current != self.version || !self.is_caching {
            self.version = current;
            self.keys.clear();
            self.responses.clear();
            self.bytes = 0;
        }
        Ok(())
    }

    /// Returns whether a token is valid and has a scope; an error if it is not valid.
    fn has_scope(&mut self, token: &str, scope: &str) -> Result<bool, Failure> {
        if !self.keys.contains_key(token) {
            let hash = hex(&Sha256::digest(token));
            let sql = "select scopes from api_keys where hash = ? and revoked_at is null and (expires_at is null or expires_at > ?)";
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query(params![hash, milliseconds()])?;
            let scopes = rows.next()?.map(|row| row.get(0)).transpose()?.unwrap_or_default();
            self.keys.insert(token.into(), scopes);
        }
        let scopes = &self.keys[token];
        if scopes.is_empty() { Err(unauthorized()) } else { Ok(scopes.contains(scope)) }
    }

    fn keep(&mut self, target: &str, body: &impl Serialize, link: Option<String>) -> Arc<Kept> {
        let payload = serde_json::to_vec(body).expect("a body is JSON");
        let tag = format!("\"{}\"", &BASE64.encode(Sha256::digest(&payload))[..22]);
        let value = |text: String| HeaderValue::try_from(text).expect("a header is ASCII");
        let kept = Arc::new(Kept { tag: value(tag), link: link.map(value), payload: payload.into() });
        self.bytes += kept.payload.len() + 1024;
        if self.is_caching && self.bytes <= MAX_CACHE_BYTES {
            self.responses.insert(target.into(), kept.clone());
        }
        kept
    }

    fn list(&mut self, target: &str, query: &str) -> Result<Arc<Kept>, Failure> {
        let (mut limit, mut after, mut status) = (20, 0, None);
        for (name, value) in query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, ""))) {
            match name {
                "limit" => {
                    limit = value.parse().ok().filter(|limit| (1..=100).contains(limit))
                        .ok_or_else(|| invalid("Query parameter \"limit\" must be from 1 to 100."))?;
                }
                "status" if ["available", "pending", "sold"].contains(&value) => status = Some(value),
                "cursor" => {
                    after = BASE64.decode(value).ok().and_then(|bytes| String::from_utf8(bytes).ok()?.strip_prefix("1:")?.parse().ok())
                        .ok_or_else(|| invalid("Query parameter \"cursor\" is not a cursor returned by this service."))?;
                }
                _ => return Err(invalid(format!("Query parameter \"{name}\" is invalid."))),
            }
        }
        let columns = "select id, name, category_id, status from pets where";
        let mut found: Vec<Pet> = match status {
            None => self.connection.prepare_cached(&format!("{columns} id > ? order by id limit ?"))?
                .query_map(params![after, limit + 1], pet_of)?.collect::<Result<_, _>>()?,
            Some(status) => self.connection.prepare_cached(&format!("{columns} status = ? and id > ? order by id limit ?"))?
                .query_map(params![status, after, limit + 1], pet_of)?.collect::<Result<_, _>>()?,
        };
        let has_more = found.len() as i64 > limit;
        found.truncate(limit as usize);
        let link = found.last().filter(|_| has_more).map(|last| {
            let filter = status.map(|status| format!("&status={status}")).unwrap_or_default();
            format!("</v1/pets?limit={limit}{filter}&cursor={}>; rel=\"next\"", BASE64.encode(format!("1:{}", last.id)))
        });
        Ok(self.keep(target, &found, link))
    }

    fn get(&mut self, target: &str, id: &str) -> Result<Arc<Kept>, Failure> {
        let id: i64 = id.parse().ok().filter(|id| (-MAX_SAFE..=MAX_SAFE).contains(id))
            .ok_or_else(|| invalid("Path parameter \"petId\" must be an integer."))?;
        let pet = {
            let mut statement = self.connection.prepare_cached("select id, name, category_id, status from pets where id = ?")?;
            let mut rows = statement.query([id])?;
            rows.next()?.map(pet_of).transpose()?
        };
        let pet = pet.ok_or_else(|| failure(404, "not_found", "There is no animal with this id."))?;
        Ok(self.keep(target, &pet, None))
    }
}

struct Creation {
    pet: Pet,
    done: oneshot::Sender<rusqlite::Result<Pet>>,
}

/// Commits the creations of one turn of the event loop in one transaction. A thread of its own would run after each creation
/// that finds it idle, so that its groups would be small where both share a core.
async fn commit_groups(connection: Connection, mut creations: mpsc::Receiver<Creation>) {
    let mut group = Vec::with_capacity(MAX_GROUP);
    while creations.recv_many(&mut group, MAX_GROUP).await > 0 {
        let result = commit(&connection, &mut group);
        if result.is_err() {
            let _ = connection.execute_batch("rollback");
        }
        for Creation { pet, done } in group.drain(..) {
            let _ = done.send(match &result {
                Ok(()) => Ok(pet),
                Err(_) => Err(rusqlite::Error::InvalidQuery),
            });
        }
    }
}

fn commit(connection: &Connection, group: &mut [Creation]) -> rusqlite::Result<()> {
    connection.prepare_cached("begin immediate")?.execute([])?;
    let mut insert = connection.prepare_cached("insert into pets (name, category_id, status) values (?, ?, ?)")?;
    for Creation { pet, .. } in group {
        pet.id = insert.insert(params![pet.name, pet.category_id, pet.status])?;
    }
    connection.prepare_cached("commit")?.execute([])?;
    Ok(())
}

const DEFAULT_HEADERS: [(&str, &str); 14] = [
    ("cache-control", "no-store"),
    ("content-security-policy", "default-src 'none';frame-ancestors 'none'"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("origin-agent-cluster", "?1"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-dns-prefetch-control", "off"),
    ("x-download-options", "noopen"),
    ("x-frame-options", "SAMEORIGIN"),
    ("x-permitted-cross-domain-policies", "none"),
    ("x-xss-protection", "0"),
    ("access-control-allow-origin", "*"),
    (
        "access-control-expose-headers",
        "Accept-Encoding, Allow, Deprecation, ETag, Idempotency-Replayed, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id",
    ),
];

#[derive(Clone)]
struct Service {
    store: Arc<Mutex<Store>>,
    creations: mpsc::Sender<Creation>,
    lines: Arc<Mutex<BufWriter<std::fs::File>>>,
    headers: Arc<HeaderMap>,
}

async fn handle(State(service): State<Service>, request: Request) -> Response {
    let began = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_string());
    let id = request_id();
    let mut headers = (*service.headers).clone();
    headers.insert("x-request-id", HeaderValue::try_from(&id).expect("an id is ASCII"));
    if path.starts_with("/v1/pets/") {
        headers.insert("deprecation", HeaderValue::from_static("@1795219200"));
        headers.insert("sunset", HeaderValue::from_static("Thu, 05 Dec 2030 00:00:00 GMT"));
        headers.insert(header::LINK, HeaderValue::from_static("</v1/pets>; rel=\"successor-version\""));
    }
    let (status, payload) = match serve(&service, request, &mut headers).await {
        Ok(answer) => answer,
        Err(failure) => {
            if failure.status == 401 {
                let challenge = HeaderValue::from_static("Bearer realm=\"petstore\", error=\"invalid_token\"");
                headers.insert(header::WWW_AUTHENTICATE, challenge);
            }
            (failure.status, serde_json::to_vec(&failure).expect("a failure is JSON").into())
        }
    };
    if status != 304 {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    let _ = writeln!(
        service.lines.lock().expect("no thread has panicked"),
        r#"{{"level":30,"time":{},"req":{{"id":"{id}","method":"{method}","path":{path:?}}},"res":{{"status":{status}}},"responseTime":{},"msg":"request completed"}}"#,
        milliseconds(),
        began.elapsed().as_millis(),
    );
    let mut response = Response::new(Body::from(payload));
    *response.status_mut() = StatusCode::from_u16(status).expect("a status is valid");
    *response.headers_mut() = headers;
    response
}

async fn serve(service: &Service, request: Request, headers: &mut HeaderMap) -> Result<(u16, Bytes), Failure> {
    let is_creation = request.method() == Method::POST;
    {
        let mut store = service.store.lock().expect("no thread has panicked");
        store.clear_changed()?;
        let credential = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let (scheme, token) = credential.and_then(|text| text.split_once(' ')).ok_or_else(unauthorized)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(unauthorized());
        }
        if !store.has_scope(token.trim_start(), if is_creation { "pets:write" } else { "pets:read" })? {
            return Err(failure(403, "forbidden", "The API key lacks the scope this operation needs."));
        }
    }
    let uri = request.uri().clone();
    let target = uri.path_and_query().map_or("", |target| target.as_str());
    if is_creation && uri.path() == "/v1/pets" {
        return create(service, request).await;
    }
    if request.method() != Method::GET {
        return Err(failure(404, "not_found", "There is no resource at this path."));
    }
    let mut store = service.store.lock().expect("no thread has panicked");
    let kept = match store.responses.get(target) {
        Some(kept) => kept.clone(),
        None if uri.path() == "/v1/pets" => store.list(target, uri.query().unwrap_or(""))?,
        None => match uri.path().strip_prefix("/v1/pets/") {
            Some(id) => store.get(target, id)?,
            None => return Err(failure(404, "not_found", "There is no resource at this path.")),
        },
    };
    headers.insert(header::ETAG, kept.tag.clone());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    if let Some(link) = &kept.link {
        headers.insert(header::LINK, link.clone());
    }
    if request.headers().get(header::IF_NONE_MATCH) == Some(&kept.tag) {
        return Ok((304, Bytes::new()));
    }
    Ok((200, kept.payload.clone()))
}

async fn create(service: &Service, request: Request) -> Result<(u16, Bytes), Failure> {
    let bytes = to_bytes(request.into_body(), 1 << 20).await.map_err(|error| invalid(error.to_string()))?;
    let NewPet { name, category_id, status } =
        serde_json::from_slice(&bytes).map_err(|error| invalid(format!("The body is invalid: {error}.")))?;
    let status = status.unwrap_or_else(|| "available".into());
    if name.is_empty() || name.chars().count() > 255 || name.chars().any(char::is_control) {
        return Err(invalid("Body field \"name\" must have 1 to 255 characters."));
    }
    if !(-MAX_SAFE..=MAX_SAFE).contains(&category_id) {
        return Err(invalid("Body field \"categoryId\" must be an integer."));
    }
    if !["available", "pending", "sold"].contains(&status.as_str()) {
        return Err(invalid("Body field \"status\" must be one of available, pending, sold."));
    }
    let (done, answer) = oneshot::channel();
    let creation = Creation { pet: Pet { id: 0, name, category_id, status }, done };
    let lost = || failure(500, "internal", "The database is closed.");
    service.creations.send(creation).await.map_err(|_| lost())?;
    let pet = answer.await.map_err(|_| lost())??;
    Ok((201, serde_json::to_vec(&pet).expect("a body is JSON").into()))
}

fn request_id() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let text = hex(&bytes);
    format!("{}-{}-{}-{}-{}", &text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn milliseconds() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let (path, synchronous) = (&arguments[1], &arguments[2]);
    let store = Store {
        connection: open(path, synchronous)?,
        is_caching: std::env::var("PEER_CACHES").as_deref() != Ok("off"),
        version: 0,
        keys: HashMap::new(),
        responses: HashMap::new(),
        bytes: 0,
    };
    let writer = open(path, synchronous)?;
    let (creations, waiting) = mpsc::channel(MAX_GROUP);
    tokio::spawn(commit_groups(writer, waiting));
    let headers = DEFAULT_HEADERS.map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
    let service = Service {
        store: Arc::new(Mutex::new(store)),
        creations,
        lines: Arc::new(Mutex::new(BufWriter::with_capacity(64 << 10, std::fs::File::create("/dev/null")?))),
        headers: Arc::new(headers.into_iter().collect()),
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?.port());
    axum::serve(listener, Router::new().fallback(handle).with_state(service)).await?;
    Ok(())
}
