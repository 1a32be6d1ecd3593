// Serves the contract with net/http and go-sqlite3, with every technique of the service: responses and API keys are cached until
// the database changes, creations are committed in groups, and log lines are written in batches. The arguments are the path of the
// database and its `synchronous`. The port is printed.
package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-sqlite3"
)

const (
	maxGroup      = 256
	maxCacheBytes = 32 << 20
	maxSafe       = 1<<53 - 1
)

type pet struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status"`
}

type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status"`
}

func (f *failure) Error() string { return f.Message }

// response is a response of a GET that can be sent again.
type response struct {
	tag, link string
	payload   []byte
}

// store reads on one connection and caches what it has read until another connection commits.
type store struct {
	mutex     sync.Mutex
	version   int64
	keys      map[string]string
	responses map[string]*response
	bytes     int
	isCaching bool

	dataVersion, key, list, listByStatus, find driver.Stmt
}

func open(path, synchronous string) driver.Conn {
	conn := must((&sqlite3.SQLiteDriver{}).Open("file:" + path + "?_journal_mode=WAL&_synchronous=" + synchronous))
	return conn
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

const columns = "select id, name, category_id, status from pets where "

func newStore(path, synchronous string) *store {
	conn := open(path, synchronous)
	prepare := func(sql string) driver.Stmt { return must(conn.Prepare(sql)) }
	s := &store{
		isCaching:   os.Getenv("PEER_CACHES") != "off",
		dataVersion: prepare("pragma data_version"),
		key: prepare("select scopes from api_keys where hash = ? and revoked_at is null " +
			"and (expires_at is null or expires_at > ?)"),
		list:         prepare(columns + "id > ? order by id limit ?"),
		listByStatus: prepare(columns + "status = ? and id > ? order by id limit ?"),
		find:         prepare(columns + "id = ?"),
	}
	s.clear()
	return s
}

func (s *store) clear() {
	s.keys, s.responses, s.bytes = map[string]string{}, map[string]*response{}, 0
}

// rows calls read with each row of a query. The caller holds the mutex.
func rows(statement driver.Stmt, width int, read func([]driver.Value), values ...driver.Value) error {
	found, err := statement.Query(values)
	if err != nil {
		return err
	}
	defer found.Close()
	row := make([]driver.Value, width)
	for {
		if err := found.Next(row); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		read(row)
	}
}

func (s *store) clearChanged() error {
	var current int64
	err := rows(s.dataVersion, 1, func(row []driver.Value) { current = row[0].(int64) })
	if current != s.version || !s.isCaching {
		s.version = current
		s.clear()
	}
	return err
}

// scopesOf returns the scopes of a token, or an empty text for an invalid one.
func (s *store) scopesOf(token string) (string, error) {
	if scopes, ok := s.keys[token]; ok {
		return scopes, nil
	}
	hash := sha256.Sum256([]byte(token))
	scopes := ""
	read := func(row []driver.Value) { scopes = text(row[0]) }
	err := rows(s.key, 1, read, hex.EncodeToString(hash[:]), time.Now().UnixMilli())
	s.keys[token] = scopes
	return scopes, err
}

func text(value driver.Value) string {
	if bytes, ok := value.([]byte); ok {
		return string(bytes)
	}
	return value.(string)
}

func (s *store) pets(statement driver.Stmt, values ...driver.Value) ([]pet, error) {
	found := []pet{}
	err := rows(statement, 4, func(row []driver.Value) {
		found = append(found, pet{row[0].(int64), text(row[1]), row[2].(int64), text(row[3])})
	}, values...)
	return found, err
}

type creation struct {
	pet  *pet
	done chan error
}

// commitGroups commits the creations that arrived during the previous commit in one transaction.
func commitGroups(path, synchronous string, creations <-chan creation) {
	conn := open(path, synchronous)
	insert := must(conn.Prepare("insert into pets (name, category_id, status) values (?, ?, ?)"))
	begin, commit, rollback := must(conn.Prepare("begin immediate")), must(conn.Prepare("commit")), must(conn.Prepare("rollback"))
	for first := range creations {
		group := []creation{first}
		runtime.Gosched() // so that every request that has arrived joins the group
		for len(group) < maxGroup {
			select {
			case next := <-creations:
				group = append(group, next)
				continue
			default:
			}
			break
		}
		_, err := begin.Exec(nil)
		for _, one := range group {
			if err != nil {
				break
			}
			var result driver.Result
			if result, err = insert.Exec([]driver.Value{one.pet.Name, one.pet.CategoryID, one.pet.Status}); err == nil {
				one.pet.ID, err = result.LastInsertId()
			}
		}
		if err == nil {
			_, err = commit.Exec(nil)
		} else {
			_, _ = rollback.Exec(nil)
		}
		for _, one := range group {
			one.done <- err
		}
	}
}

var defaultHeaders = map[string]string{
	"Cache-Control":                     "no-store",
	"Content-Security-Policy":           "default-src 'none';frame-ancestors 'none'",
	"Cross-Origin-Opener-Policy":        "same-origin",
	"Cross-Origin-Resource-Policy":      "same-origin",
	"Origin-Agent-Cluster":              "?1",
	"Referrer-Policy":                   "no-referrer",
	"X-Content-Type-Options":            "nosniff",
	"X-Dns-Prefetch-Control":            "off",
	"X-Download-Options":                "noopen",
	"X-Frame-Options":                   "SAMEORIGIN",
	"X-Permitted-Cross-Domain-Policies": "none",
	"X-Xss-Protection":                  "0",
	"Access-Control-Allow-Origin":       "*",
	"Access-Control-Expose-Headers": "Accept-Encoding, Allow, Deprecation, ETag, Idempotency-Replayed, Link, RateLimit, " +
		"RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id",
}

type service struct {
	store     *store
	creations chan creation
	lines     chan string
}

var (
	unauthorized = &failure{"unauthorized", "A valid API key is required, sent as: Authorization: Bearer <API_KEY>.", 401}
	forbidden    = &failure{"forbidden", "The API key lacks the scope this operation needs.", 403}
	notFound     = &failure{"not_found", "There is no animal with this id.", 404}
	cursorText   = regexp.MustCompile("^[A-Za-z0-9_-]{1,64}$")
)

func invalid(message string) error { return &failure{"invalid_request", message, 400} }

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	headers := w.Header()
	for name, value := range defaultHeaders {
		headers[name] = []string{value}
	}
	id := requestID()
	headers["X-Request-Id"] = []string{id}
	status, err := s.serve(w, r)
	if err != nil {
		refusal, ok := err.(*failure)
		if !ok {
			refusal = &failure{"internal", "The request failed.", 500}
		}
		if refusal.Status == 401 {
			headers["Www-Authenticate"] = []string{`Bearer realm="petstore", error="invalid_token"`}
		}
		status = refusal.Status
		send(w, status, encode(refusal))
	}
	s.lines <- fmt.Sprintf(`{"level":30,"time":%d,"req":{"id":"%s","method":"%s","path":%q},"res":{"status":%d},"responseTime":%d,"msg":"request completed"}`+"\n",
		began.UnixMilli(), id, r.Method, r.URL.Path, status, time.Since(began).Milliseconds())
}

// encode returns a value as JSON, without the escapes of HTML.
func encode(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		log.Fatal(err)
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

func requestID() string {
	var id [16]byte
	_, _ = rand.Read(id[:])
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

func send(w http.ResponseWriter, status int, payload []byte) {
	headers := w.Header()
	headers["Content-Type"] = []string{"application/json"}
	headers["Content-Length"] = []string{strconv.Itoa(len(payload))}
	w.WriteHeader(status)
	_, _ = w.Write(payload)
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) (int, error) {
	petID, isOne := strings.CutPrefix(r.URL.Path, "/v1/pets/")
	if isOne {
		w.Header()["Deprecation"] = []string{"@1795219200"}
		w.Header()["Sunset"] = []string{"Thu, 05 Dec 2030 00:00:00 GMT"}
		w.Header()["Link"] = []string{`</v1/pets>; rel="successor-version"`}
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return 0, unauthorized
	}
	s.store.mutex.Lock()
	err := s.store.clearChanged()
	scopes, keyError := s.store.scopesOf(strings.TrimLeft(token, " "))
	kept := s.store.responses[r.URL.RequestURI()]
	s.store.mutex.Unlock()
	if err != nil || keyError != nil {
		return 0, fmt.Errorf("the key could not be read: %w %w", err, keyError)
	}
	scope := "pets:read"
	if r.Method == http.MethodPost {
		scope = "pets:write"
	}
	switch {
	case scopes == "":
		return 0, unauthorized
	case !strings.Contains(scopes, scope):
		return 0, forbidden
	case r.Method == http.MethodPost && r.URL.Path == "/v1/pets":
		return s.create(w, r)
	case r.Method == http.MethodGet && kept != nil:
		return sendTagged(w, r, kept), nil
	case r.Method == http.MethodGet && r.URL.Path == "/v1/pets":
		return s.list(w, r)
	case r.Method == http.MethodGet && isOne:
		return s.get(w, r, petID)
	}
	return 0, notFound
}

func sendTagged(w http.ResponseWriter, r *http.Request, kept *response) int {
	headers := w.Header()
	headers["Etag"] = []string{kept.tag}
	headers["Cache-Control"] = []string{"private, no-cache"}
	if kept.link != "" {
		headers["Link"] = []string{kept.link}
	}
	if r.Header.Get("If-None-Match") == kept.tag {
		w.WriteHeader(304)
		return 304
	}
	send(w, 200, kept.payload)
	return 200
}

// sendAndCache must be called with the mutex of the store held. It releases the mutex.
func (s *service) sendAndCache(w http.ResponseWriter, r *http.Request, body any, link string) (int, error) {
	payload := encode(body)
	hash := sha256.Sum256(payload)
	kept := &response{`"` + base64.RawURLEncoding.EncodeToString(hash[:])[:22] + `"`, link, payload}
	if s.store.bytes += len(payload) + 1024; s.store.isCaching && s.store.bytes <= maxCacheBytes {
		s.store.responses[r.URL.RequestURI()] = kept
	}
	s.store.mutex.Unlock()
	return sendTagged(w, r, kept), nil
}

func (s *service) list(w http.ResponseWriter, r *http.Request) (int, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return 0, invalid("The query is malformed.")
	}
	limit, after := int64(20), int64(0)
	for name, values := range query {
		value := values[0]
		switch {
		case len(values) > 1:
			return 0, invalid(fmt.Sprintf("Query parameter %q is given more than once.", name))
		case name == "limit":
			if limit, err = strconv.ParseInt(value, 10, 64); err != nil || limit < 1 || limit > 100 {
				return 0, invalid(`Query parameter "limit" must be from 1 to 100.`)
			}
		case name == "status":
			if value != "available" && value != "pending" && value != "sold" {
				return 0, invalid(`Query parameter "status" must be one of available, pending, sold.`)
			}
		case name == "cursor":
			decoded, err := base64.RawURLEncoding.DecodeString(value)
			id, isCursor := strings.CutPrefix(string(decoded), "1:")
			if err == nil {
				after, err = strconv.ParseInt(id, 10, 64)
			}
			if err != nil || !isCursor || !cursorText.MatchString(value) {
				return 0, invalid(`Query parameter "cursor" is not a cursor returned by this service.`)
			}
		default:
			return 0, invalid(fmt.Sprintf("Query parameter %q is unknown.", name))
		}
	}
	s.store.mutex.Lock()
	statement, values := s.store.list, []driver.Value{after, limit + 1}
	if status := query.Get("status"); status != "" {
		statement, values = s.store.listByStatus, []driver.Value{status, after, limit + 1}
	}
	found, err := s.store.pets(statement, values...)
	if err != nil {
		s.store.mutex.Unlock()
		return 0, err
	}
	link := ""
	if int64(len(found)) > limit {
		found = found[:limit]
		filter := ""
		if status := query.Get("status"); status != "" {
			filter = "&status=" + status
		}
		cursor := base64.RawURLEncoding.EncodeToString(strconv.AppendInt([]byte("1:"), found[limit-1].ID, 10))
		link = fmt.Sprintf(`</v1/pets?limit=%d%s&cursor=%s>; rel="next"`, limit, filter, cursor)
	}
	return s.sendAndCache(w, r, found, link)
}

func (s *service) get(w http.ResponseWriter, r *http.Request, text string) (int, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < -maxSafe || id > maxSafe {
		return 0, invalid(`Path parameter "petId" must be an integer.`)
	}
	s.store.mutex.Lock()
	found, err := s.store.pets(s.store.find, id)
	if err == nil && len(found) == 1 {
		return s.sendAndCache(w, r, found[0], "")
	}
	s.store.mutex.Unlock()
	if err == nil {
		err = notFound
	}
	return 0, err
}

func (s *service) create(w http.ResponseWriter, r *http.Request) (int, error) {
	var body struct {
		Name       *string `json:"name"`
		CategoryID *int64  `json:"categoryId"`
		Status     *string `json:"status"`
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		return 0, invalid("The body is invalid: " + err.Error())
	}
	switch {
	case body.Name == nil || *body.Name == "" || utf8.RuneCountInString(*body.Name) > 255 ||
		strings.ContainsFunc(*body.Name, unicode.IsControl):
		return 0, invalid(`Body field "name" must have 1 to 255 characters.`)
	case body.CategoryID == nil || *body.CategoryID < -maxSafe || *body.CategoryID > maxSafe:
		return 0, invalid(`Body field "categoryId" must be an integer.`)
	case body.Status != nil && *body.Status != "available" && *body.Status != "pending" && *body.Status != "sold":
		return 0, invalid(`Body field "status" must be one of available, pending, sold.`)
	}
	added := &pet{Name: *body.Name, CategoryID: *body.CategoryID, Status: "available"}
	if body.Status != nil {
		added.Status = *body.Status
	}
	done := make(chan error, 1)
	s.creations <- creation{added, done}
	if err := <-done; err != nil {
		return 0, err
	}
	send(w, 201, encode(added))
	return 201, nil
}

// writeLines writes log lines in batches.
func writeLines(lines <-chan string) {
	out := bufio.NewWriterSize(must(os.OpenFile(os.DevNull, os.O_WRONLY, 0)), 64<<10)
	for line := range lines {
		_, _ = out.WriteString(line)
	}
}

func main() {
	path, synchronous := os.Args[1], os.Args[2]
	s := &service{newStore(path, synchronous), make(chan creation, maxGroup), make(chan string, 1024)}
	go commitGroups(path, synchronous, s.creations)
	go writeLines(s.lines)
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, s))
}
