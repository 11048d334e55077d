// Receive webhooks of Hubbub: verify each call, and handle each event once. It needs no module.
//
// WEBHOOK_SECRET=whsec_... go run receiver.go 9000
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	toleranceSeconds = 300
	largestBody      = 1024 * 1024
)

var digits = regexp.MustCompile(`^[0-9]{1,12}$`)

// isGenuine returns whether Hubbub has sent this call, in the last minutes.
func isGenuine(key []byte, header http.Header, body []byte) bool {
	timestamp := header.Get("webhook-timestamp")
	if !digits.MatchString(timestamp) {
		return false
	}
	sentAt, _ := strconv.ParseInt(timestamp, 10, 64)
	age := time.Now().Unix() - sentAt
	if age > toleranceSeconds || age < -toleranceSeconds {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("webhook-id") + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// After a rotation of the secret there are two signatures; one that fits is enough.
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(given), []byte(expected)) {
			return true
		}
	}
	return false
}

type event struct {
	Trigger string `json:"trigger"`
}

type receiver struct {
	key []byte
	// The ids of the events that were handled. Keep them in your database, not in memory.
	handled sync.Map
}

func (r *receiver) handleOnce(id string, body event) {
	if _, isKnown := r.handled.LoadOrStore(id, true); !isKnown {
		fmt.Fprintln(os.Stderr, "event", id, body.Trigger)
	}
}

func (r *receiver) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, largestBody))
	if err != nil {
		writer.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if !isGenuine(r.key, request.Header, raw) {
		writer.WriteHeader(http.StatusUnauthorized)
		return
	}
	var body event
	if err := json.Unmarshal(raw, &body); err != nil {
		writer.WriteHeader(http.StatusBadRequest)
		return
	}
	r.handleOnce(request.Header.Get("webhook-id"), body)
	if body.Trigger == "before_message" {
		io.WriteString(writer, `{"action": "allow"}`)
		return
	}
	writer.WriteHeader(http.StatusNoContent)
}

func main() {
	secret := strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_")
	key, err := base64.StdEncoding.DecodeString(secret)
	if err != nil || len(key) == 0 {
		log.Fatal("WEBHOOK_SECRET must be the secret of a webhook")
	}
	server := http.Server{
		Addr:        "127.0.0.1:" + os.Args[1],
		Handler:     &receiver{key: key},
		ReadTimeout: 10 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}
