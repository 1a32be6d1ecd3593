//! Serves the measured requests with axum and rusqlite, as fast as these allow: without log, request ids, default headers and ETags,
//! and with few checks. Keys are kept, and responses until this process, the only one that writes, creates an animal. Creations are
//! committed in groups. The arguments are the path of the database and its `synchronous`. The port is printed.

// cspell:ignore flavor
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::http::header::{self, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::{mpsc, oneshot};

const LARGEST_GROUP: usize = 256;
const MOST_KEPT: usize = 1_000;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Pet {
    #[serde(skip_deserializing)]
    id: i64,
    name: String,
    category_id: i64,
    #[serde(default = "available")]
    status: String,
}

fn available() -> String {
    "available".into()
}

fn pet_of(row: &Row) -> rusqlite::Result<Pet> {
    Ok(Pet { id: row.get(0)?, name: row.get(1)?, category_id: row.get(2)?, status: row.get(3)? })
}

/// A status, a code and a message.
struct Failure(u16, &'static str, &'static str);

const UNAUTHORIZED: Failure =
    Failure(401, "unauthorized", "A valid API key is required, sent as: Authorization: Bearer <API_KEY>.");
const FORBIDDEN: Failure = Failure(403, "forbidden", "The API key lacks the scope this operation needs.");
const NOT_FOUND: Failure = Failure(404, "not_found", "There is no animal with this id.");
const INVALID_LIMIT: Failure = Failure(400, "invalid_request", "Query parameter \\\"limit\\\" must be from 1 to 100.");
const INVALID_CURSOR: Failure =
    Failure(400, "invalid_request", "Query parameter \\\"cursor\\\" is not a cursor returned by this service.");
const INVALID_BODY: Failure = Failure(400, "invalid_request", "The body must be an object with a name and a categoryId.");
const INTERNAL: Failure = Failure(500, "internal_error", "The request failed.");

impl From<rusqlite::Error> for Failure {
    fn from(_: rusqlite::Error) -> Self {
        INTERNAL
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let Failure(status, code, message) = self;
        response(status, format!(r#"{{"code":"{code}","message":"{message}","status":{status}}}"#).into())
    }
}

fn response(status: u16, payload: Bytes) -> Response {
    let mut response = Response::new(Body::from(payload));
    *response.status_mut() = StatusCode::from_u16(status).expect("a status is valid");
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A response of a GET that can be sent again.
#[derive(Clone)]
struct Kept {
    link: Option<HeaderValue>,
    payload: Bytes,
}

impl IntoResponse for Kept {
    fn into_response(self) -> Response {
        let mut response = response(200, self.payload);
        if let Some(link) = self.link {
            response.headers_mut().insert(header::LINK, link);
        }
        response
    }
}

fn to_json(body: &impl Serialize) -> Bytes {
    serde_json::to_vec(body).expect("a body is JSON").into()
}

/// The connection that reads, and what is kept.
struct Store {
    connection: Connection,
    scopes: HashMap<HeaderValue, String>,
    responses: HashMap<String, Kept>,
}

fn keep<Name: Eq + std::hash::Hash, Value>(kept: &mut HashMap<Name, Value>, name: Name, value: Value) {
    if kept.len() >= MOST_KEPT {
        kept.clear();
    }
    kept.insert(name, value);
}

impl Store {
    /// Returns whether a credential is valid and has a scope; an error if it is not valid.
    fn has_scope(&mut self, credential: &HeaderValue, scope: &str) -> Result<bool, Failure> {
        if !self.scopes.contains_key(credential) {
            let token = credential.as_bytes().strip_prefix(b"Bearer ").unwrap_or_default();
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64);
            let sql = "select scopes from api_keys where hash = ? and revoked_at is null and (expires_at is null or expires_at > ?)";
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query(params![format!("{:x}", Sha256::digest(token)), now])?;
            let scopes = rows.next()?.map(|row| row.get(0)).transpose()?.unwrap_or_default();
            keep(&mut self.scopes, credential.clone(), scopes);
        }
        let scopes = &self.scopes[credential];
        if scopes.is_empty() { Err(UNAUTHORIZED) } else { Ok(scopes.contains(scope)) }
    }

    fn list(&self, query: &str) -> Result<Kept, Failure> {
        let (mut limit, mut after) = (20, 0);
        for pair in query.split('&') {
            match pair.split_once('=') {
                Some(("limit", value)) => {
                    limit = value.parse().ok().filter(|limit| (1..=100).contains(limit)).ok_or(INVALID_LIMIT)?;
                }
                Some(("cursor", value)) => after = position_of(value).ok_or(INVALID_CURSOR)?,
                _ => {}
            }
        }
        let sql = "select id, name, category_id, status from pets where id > ? order by id limit ?";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut found: Vec<Pet> = statement.query_map([after, limit + 1], pet_of)?.collect::<Result<_, _>>()?;
        let has_more = found.len() as i64 > limit;
        found.truncate(limit as usize);
        let link = found.last().filter(|_| has_more).map(|last| {
            let cursor = BASE64.encode(format!("1:{}", last.id));
            let link = format!("</v1/pets?limit={limit}&cursor={cursor}>; rel=\"next\"");
            HeaderValue::try_from(link).expect("a header is ASCII")
        });
        Ok(Kept { link, payload: to_json(&found) })
    }

    fn get(&self, id: &str) -> Result<Kept, Failure> {
        let id: i64 = id.parse().map_err(|_| NOT_FOUND)?;
        let sql = "select id, name, category_id, status from pets where id = ?";
        let mut statement = self.connection.prepare_cached(sql)?;
        let pet = statement.query_map([id], pet_of)?.next().ok_or(NOT_FOUND)??;
        Ok(Kept { link: None, payload: to_json(&pet) })
    }
}

fn position_of(cursor: &str) -> Option<i64> {
    String::from_utf8(BASE64.decode(cursor).ok()?).ok()?.strip_prefix("1:")?.parse().ok()
}

struct Creation {
    pet: Pet,
    done: oneshot::Sender<Result<Pet, Failure>>,
}

/// Commits the creations of one turn of the event loop in one transaction. A thread of its own would run after each creation
/// that finds it idle, so that its groups would be small where both share a core.
async fn commit_groups(connection: Connection, mut creations: mpsc::Receiver<Creation>, store: Arc<Mutex<Store>>) {
    let mut group = Vec::with_capacity(LARGEST_GROUP);
    while creations.recv_many(&mut group, LARGEST_GROUP).await > 0 {
        let is_committed = commit(&connection, &mut group).is_ok();
        if !is_committed {
            let _ = connection.execute_batch("rollback");
        }
        store.lock().expect("no thread has panicked").responses.clear();
        for Creation { pet, done } in group.drain(..) {
            let _ = done.send(if is_committed { Ok(pet) } else { Err(INTERNAL) });
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

#[derive(Clone)]
struct Service {
    store: Arc<Mutex<Store>>,
    creations: mpsc::Sender<Creation>,
}

async fn handle(State(service): State<Service>, request: Request) -> Result<Response, Failure> {
    let path = request.uri().path();
    let is_creation = request.method() == Method::POST && path == "/v1/pets";
    {
        let mut store = service.store.lock().expect("no thread has panicked");
        let credential = request.headers().get(header::AUTHORIZATION).ok_or(UNAUTHORIZED)?;
        if !store.has_scope(credential, if is_creation { "pets:write" } else { "pets:read" })? {
            return Err(FORBIDDEN);
        }
        if !is_creation {
            let target = request.uri().path_and_query().map_or("", |target| target.as_str());
            if let Some(kept) = store.responses.get(target) {
                return Ok(kept.clone().into_response());
            }
            let read = match path.strip_prefix("/v1/pets") {
                Some("") => store.list(request.uri().query().unwrap_or(""))?,
                Some(id) => store.get(id.trim_start_matches('/'))?,
                None => return Err(NOT_FOUND),
            };
            keep(&mut store.responses, target.into(), read.clone());
            return Ok(read.into_response());
        }
    }
    create(&service, request.into_body()).await
}

async fn create(service: &Service, body: Body) -> Result<Response, Failure> {
    let bytes = to_bytes(body, 1 << 20).await.map_err(|_| INVALID_BODY)?;
    let pet: Pet = serde_json::from_slice(&bytes).map_err(|_| INVALID_BODY)?;
    if pet.name.is_empty() || !["available", "pending", "sold"].contains(&pet.status.as_str()) {
        return Err(INVALID_BODY);
    }
    let (done, answer) = oneshot::channel();
    service.creations.send(Creation { pet, done }).await.map_err(|_| INTERNAL)?;
    Ok(response(201, to_json(&answer.await.map_err(|_| INTERNAL)??)))
}

fn open(path: &str, synchronous: &str) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", synchronous)?;
    Ok(connection)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let (path, synchronous) = (&arguments[1], &arguments[2]);
    let connection = open(path, synchronous)?;
    let store = Arc::new(Mutex::new(Store { connection, scopes: HashMap::new(), responses: HashMap::new() }));
    let (creations, waiting) = mpsc::channel(LARGEST_GROUP);
    tokio::spawn(commit_groups(open(path, synchronous)?, waiting, store.clone()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?.port());
    axum::serve(listener, handle.with_state(Service { store, creations })).await?;
    Ok(())
}
