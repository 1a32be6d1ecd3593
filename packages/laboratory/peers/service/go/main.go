// Serves the measured requests with net/http and go-sqlite3, as fast as these allow: without log, request ids, default headers
// and ETags, and with few checks. Keys are kept, and responses until this process, the only one that writes, creates an animal.
// Creations are committed in groups. The arguments are the path of the database and its `synchronous`. The port is printed.
package main

// cspell:ignore jsontext

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/base64"
	"encoding/hex"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-sqlite3"
)

const (
	largestGroup = 256
	mostKept     = 1_000
)

// response has its header values as net/http takes them, so that no request allocates them.
type response struct {
	status       int
	body         []byte
	length, link []string
}

func newResponse(status int, body []byte) *response {
	return &response{status: status, body: body, length: []string{strconv.Itoa(len(body))}}
}

func failure(status int, code, message string) *response {
	return newResponse(status, fmt.Appendf(nil, `{"code":%q,"message":%q,"status":%d}`, code, message, status))
}

var (
	unauthorized  = failure(401, "unauthorized", "A valid API key is required, sent as: Authorization: Bearer <API_KEY>.")
	forbidden     = failure(403, "forbidden", "The API key lacks the scope this operation needs.")
	notFound      = failure(404, "not_found", "There is no animal with this id.")
	internal      = failure(500, "internal_error", "The request failed.")
	invalidLimit  = failure(400, "invalid_request", `Query parameter "limit" must be from 1 to 100.`)
	invalidCursor = failure(400, "invalid_request", `Query parameter "cursor" is not a cursor returned by this service.`)
	invalidBody   = failure(400, "invalid_request", "The body must be an object with a name and a categoryId.")
	contentType   = []string{"application/json"}
	statuses      = []string{"available", "pending", "sold"}
)

type pet struct {
	ID         int64  `json:"-"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status"`
}

func (p pet) appendTo(text []byte) []byte {
	text = strconv.AppendInt(append(text, `{"id":`...), p.ID, 10)
	text, _ = jsontext.AppendQuote(append(text, `,"name":`...), p.Name)
	text = strconv.AppendInt(append(text, `,"categoryId":`...), p.CategoryID, 10)
	return append(append(append(text, `,"status":"`...), p.Status...), `"}`...)
}

// creation gets its id, or 0 if it failed, and then is done.
type creation struct {
	pet
	done sync.WaitGroup
}

type service struct {
	// mutex guards the maps and the statements. A response is read and kept in one hold of it, and commitGroups clears the map
	// after the commit, so that no stale response is kept.
	mutex           sync.Mutex
	scopes          map[string]string
	responses       map[string]*response
	key, list, find driver.Stmt
	creations       chan *creation
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	made := s.serve(r)
	header := w.Header()
	header["Content-Type"], header["Content-Length"] = contentType, made.length
	if made.link != nil {
		header["Link"] = made.link
	}
	w.WriteHeader(made.status)
	_, _ = w.Write(made.body)
}

func (s *service) serve(r *http.Request) *response {
	s.mutex.Lock()
	scopes := s.scopesOf(strings.Join(r.Header["Authorization"], ""))
	if r.Method == http.MethodPost && r.URL.Path == "/v1/pets" && strings.Contains(scopes, "pets:write") {
		s.mutex.Unlock()
		return s.create(r)
	}
	defer s.mutex.Unlock()
	if scopes == "" {
		return unauthorized
	} else if r.Method != http.MethodGet || !strings.Contains(scopes, "pets:read") {
		return forbidden
	} else if kept := s.responses[r.RequestURI]; kept != nil {
		return kept
	}
	read := notFound
	if r.URL.Path == "/v1/pets" {
		read = s.page(r.URL.Query().Get("limit"), r.URL.Query().Get("cursor"))
	} else if id, err := strconv.ParseInt(strings.TrimPrefix(r.URL.Path, "/v1/pets/"), 10, 64); err == nil {
		for _, found := range s.pets(s.find, id) {
			read = newResponse(200, found.appendTo(nil))
		}
	}
	if read.status == 200 {
		keep(s.responses, r.RequestURI, read)
	}
	return read
}

func keep[Value any](kept map[string]Value, name string, value Value) {
	if len(kept) >= mostKept {
		clear(kept)
	}
	kept[name] = value
}

// scopesOf returns the scopes of a credential, or an empty text for an invalid one.
func (s *service) scopesOf(credential string) string {
	scopes, isKept := s.scopes[credential]
	if isKept {
		return scopes
	}
	hash := sha256.Sum256([]byte(strings.TrimPrefix(credential, "Bearer ")))
	read := func(row []driver.Value) { scopes = row[0].(string) }
	query(s.key, 1, read, hex.EncodeToString(hash[:]), time.Now().UnixMilli())
	keep(s.scopes, credential, scopes)
	return scopes
}

func (s *service) page(limitText, cursor string) *response {
	limit, after, err := 20, int64(0), error(nil)
	if limitText != "" {
		if limit, err = strconv.Atoi(limitText); err != nil || limit < 1 || limit > 100 {
			return invalidLimit
		}
	}
	if cursor != "" {
		decoded, _ := base64.RawURLEncoding.DecodeString(cursor)
		if after, err = strconv.ParseInt(strings.TrimPrefix(string(decoded), "1:"), 10, 64); err != nil {
			return invalidCursor
		}
	}
	found := s.pets(s.list, after, int64(limit+1))
	body := []byte("[")
	for at, one := range found[:min(limit, len(found))] {
		if at > 0 {
			body = append(body, ',')
		}
		body = one.appendTo(body)
	}
	made := newResponse(200, append(body, ']'))
	if len(found) > limit {
		next := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "1:%d", found[limit-1].ID))
		made.link = []string{fmt.Sprintf(`</v1/pets?limit=%d&cursor=%s>; rel="next"`, limit, next)}
	}
	return made
}

func (s *service) pets(statement driver.Stmt, values ...driver.Value) (found []pet) {
	query(statement, 4, func(row []driver.Value) {
		found = append(found, pet{row[0].(int64), row[1].(string), row[2].(int64), row[3].(string)})
	}, values...)
	return found
}

func (s *service) create(r *http.Request) *response {
	made := &creation{pet: pet{CategoryID: math.MinInt64, Status: "available"}}
	err := json.UnmarshalRead(http.MaxBytesReader(nil, r.Body, 1<<20), &made.pet, json.RejectUnknownMembers(true))
	if err != nil || made.Name == "" || made.CategoryID == math.MinInt64 || !slices.Contains(statuses, made.Status) {
		return invalidBody
	}
	made.done.Add(1)
	s.creations <- made
	made.done.Wait()
	if made.ID == 0 {
		return internal
	}
	return newResponse(201, made.appendTo(nil))
}

// commitGroups commits the creations of the requests that have arrived in one transaction.
func (s *service) commitGroups(conn driver.Conn) {
	begin, commit, rollback := prepare(conn, "begin immediate"), prepare(conn, "commit"), prepare(conn, "rollback")
	inserts := map[int]driver.Stmt{}
	for size := 1; size < largestGroup; size *= 2 {
		rows := strings.Repeat("(?, ?, ?), ", size-1) + "(?, ?, ?)"
		inserts[size] = prepare(conn, "insert into pets (name, category_id, status) values "+rows)
	}
	for first := range s.creations {
		runtime.Gosched() // so that every request that has arrived joins the group
		group := []*creation{first}
		for len(group) < largestGroup && len(s.creations) > 0 {
			group = append(group, <-s.creations)
		}
		_, err := begin.Exec(nil)
		for size, rest := largestGroup/2, group; err == nil && len(rest) > 0; size /= 2 {
			for ; err == nil && len(rest) >= size; rest = rest[size:] {
				err = insert(inserts[size], rest[:size])
			}
		}
		if err == nil {
			_, err = commit.Exec(nil)
		}
		if err != nil {
			_, _ = rollback.Exec(nil)
		}
		s.mutex.Lock()
		clear(s.responses)
		s.mutex.Unlock()
		for _, one := range group {
			if err != nil {
				one.ID = 0
			}
			one.done.Done()
		}
	}
}

// insert gives the animals of one statement their ids, which follow each other.
func insert(statement driver.Stmt, group []*creation) error {
	values := make([]driver.Value, 0, 3*len(group))
	for _, one := range group {
		values = append(values, one.Name, one.CategoryID, one.Status)
	}
	result, err := statement.Exec(values)
	if err != nil {
		return err
	}
	last, err := result.LastInsertId()
	for at, one := range group {
		one.ID = last - int64(len(group)-1-at)
	}
	return err
}

// query calls read with each row of a result.
func query(statement driver.Stmt, width int, read func([]driver.Value), values ...driver.Value) {
	rows := must(statement.Query(values))
	defer rows.Close()
	for row := make([]driver.Value, width); rows.Next(row) != io.EOF; {
		read(row)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func prepare(conn driver.Conn, sql string) driver.Stmt { return must(conn.Prepare(sql)) }

func main() {
	debug.SetGCPercent(400) // a collection at 16 MB instead of 4, since little of the data lives on
	file := fmt.Sprintf("file:%s?_journal_mode=WAL&_synchronous=%s", os.Args[1], os.Args[2])
	open := func() driver.Conn { return must((&sqlite3.SQLiteDriver{}).Open(file)) }
	reader, columns := open(), "select id, name, category_id, status from pets where id "
	s := &service{
		scopes:    map[string]string{},
		responses: map[string]*response{},
		key: prepare(reader, "select scopes from api_keys where hash = ? and revoked_at is null "+
			"and (expires_at is null or expires_at > ?)"),
		list:      prepare(reader, columns+"> ? order by id limit ?"),
		find:      prepare(reader, columns+"= ?"),
		creations: make(chan *creation, largestGroup),
	}
	go s.commitGroups(open())
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, s))
}
