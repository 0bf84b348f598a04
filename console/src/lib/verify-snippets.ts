// How a receiver verifies a delivery in three languages, using only their standard libraries. Each is a complete
// program: test/browser/verify-webhooks.test.ts runs what is shown.

const NODE = `import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace('whsec_', ''), 'base64')

function isGenuine(headers, body) {
  const time = headers['webhook-timestamp']
  if (!(Math.abs(Date.now() / 1000 - time) <= 300)) return false // older than 5 minutes
  const signed = \`\${headers['webhook-id']}.\${time}.\`
  const expected = createHmac('sha256', key).update(signed).update(body).digest()
  return String(headers['webhook-signature']).split(' ').some((one) => {
    const actual = Buffer.from(one.replace('v1,', ''), 'base64')
    return actual.length === expected.length && timingSafeEqual(actual, expected)
  })
}

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks) // the raw bytes, before JSON parsing
  if (!isGenuine(request.headers, body)) return response.writeHead(400).end()
  const event = JSON.parse(body)
  console.log(event.eventType, event.id)
  response.writeHead(204).end()
}).listen(process.env.PORT ?? 3000)
`

const PYTHON = `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

def is_genuine(headers, body):
    stamp = headers.get("webhook-timestamp", "")
    if not stamp.isdigit() or abs(time.time() - int(stamp)) > 300:  # older than 5 minutes
        return False
    signed = f"{headers.get('webhook-id')}.{stamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    received = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(b"v1," + expected, one) for one in received)

class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))  # the raw bytes
        if is_genuine(self.headers, body):
            event = json.loads(body)
            print(event["eventType"], event["id"], flush=True)
            self.send_response(204)
        else:
            self.send_response(400)
        self.end_headers()

HTTPServer(("", int(os.environ.get("PORT", 3000))), Hook).serve_forever()
`

const GO = `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

var key, _ = base64.StdEncoding.DecodeString(
	strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))

func isGenuine(header http.Header, body []byte) bool {
	stamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("webhook-id") + "." + stamp + "."))
	mac.Write(body) // the raw bytes
	for _, one := range strings.Fields(header.Get("webhook-signature")) {
		actual, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(one, "v1,"))
		if err == nil && hmac.Equal(actual, mac.Sum(nil)) {
			return true
		}
	}
	return false
}

func main() {
	if len(key) == 0 {
		log.Fatal("WEBHOOK_SECRET is missing")
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !isGenuine(r.Header, body) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		log.Printf("%s", body)
		w.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe(":3000", nil))
}
`

export const VERIFY_SNIPPETS = [
  { language: 'Node', text: NODE },
  { language: 'Python', text: PYTHON },
  { language: 'Go', text: GO },
] as const
