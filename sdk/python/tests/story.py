"""What a customer's program does, run by test/sdk/python-client.test.ts, which checks what it prints."""

import http.server
import json
import os
import queue
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from longcode import Longcode, LongcodeError, WebhookVerifier  # noqa: E402

CAMPAIGN, NUMBER = os.environ["CAMPAIGN"], os.environ["NUMBER"]
PHONE = "+14155550123"
seen = {}


def code_of(work):
    try:
        work()
    except LongcodeError as error:
        return error.code
    return None


received = queue.Queue()


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        received.put((body, dict(self.headers)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
threading.Thread(target=server.serve_forever, daemon=True).start()

# A real service.
longcode = Longcode(token=os.environ["LONGCODE_TOKEN"], base_url=os.environ["LONGCODE_URL"])
webhook = longcode.webhooks.create(
    CAMPAIGN,
    {
        "url": f"http://127.0.0.1:{server.server_port}/hook",
        "eventTypes": ["message.incoming", "recipient.optout"],
    },
)["webhook"]
body = {"campaign": CAMPAIGN, "to": PHONE, "body": "Your table is ready.", "from": NUMBER}
first = longcode.messages.send(body, idempotency_key="order-1042")["id"]
seen["isSameMessage"] = longcode.messages.send(body, idempotency_key="order-1042")["id"] == first
batch = [{"campaign": CAMPAIGN, "to": PHONE, "body": str(i)} for i in range(4)]
longcode.messages.send_batch({"messages": batch})
seen["status"] = longcode.messages.get(first)["message"]["status"]
seen["listed"] = sorted(
    message["body"] for message in longcode.messages.list({"campaign": CAMPAIGN, "limit": 2})
)
seen["page"] = len(longcode.messages.list({"campaign": CAMPAIGN, "limit": 2}).page()["messages"])
seen["numbers"] = [number["phoneNumber"] for number in longcode.numbers.list_for_campaign(CAMPAIGN)]
seen["number"] = longcode.numbers.get(NUMBER)["number"]["campaignId"] == CAMPAIGN
seen["uploaded"] = longcode.media.upload(b"a,b\n1,2\n", "text/csv")["media"]["type"]

longcode.sandbox.inbound({"from": PHONE, "to": NUMBER, "body": "STOP"})
verifier = WebhookVerifier(webhook["secret"])
requests = [received.get(timeout=120) for _ in range(2)]
seen["events"] = sorted(verifier.verify(*request)["eventType"] for request in requests)
(data, headers), late = requests[0], WebhookVerifier(webhook["secret"], now=lambda: 4e9)
seen["codes"] = [
    code_of(lambda: verifier.verify(data, headers)),
    code_of(lambda: verifier.verify(data + b" ", headers)),
    code_of(lambda: late.verify(data, headers)),
    code_of(lambda: verifier.verify(data, {})),
]
try:
    longcode.messages.send(body)
except LongcodeError as error:
    seen["refusal"] = [error.code, error.status, error.help.split("#")[1], error.request_id[:4]]
seen["optouts"] = [optout["recipient"] for optout in longcode.optouts.list(CAMPAIGN)]
seen["unknown"] = code_of(lambda: longcode.messages.send({**body, "sendAt": "x"}))
seen["deliveries"] = len(list(longcode.webhooks.list_deliveries(webhook["id"])))
with_twilio = longcode.account.create_twilio_credential()["twilio"]
shown = longcode.account.get_twilio_credential()["twilio"]
seen["twilio"] = [with_twilio == shown, longcode.account.delete_twilio_credential()["success"]]

stream = longcode.events.stream()
seen["streamOpens"] = next(stream)["eventType"]
longcode.sandbox.inbound({"from": PHONE, "to": NUMBER, "body": "START"})
# The balance may change, too.
event = next(event for event in stream if event["eventType"] == "message.incoming")
seen["streamed"] = event["data"]["message"]["body"]
stream.close()
resumed = longcode.events.stream(last_event_id=event["id"])
seen["resumed"] = next(event for event in resumed if event["eventType"] == "resumed")["isComplete"]
resumed.close()

seen["clock"] = longcode.sandbox.clock.advance(60)["success"]

# The inbox of a team.
guest = "+14155550124"
longcode.sandbox.inbound({"from": guest, "to": NUMBER, "body": "Where is my order?"})
longcode.contacts.put(guest, {"name": "Ana", "fields": {"order": "7"}})
waiting = list(longcode.conversations.inbox({"view": "waiting"}))
seen["waiting"] = [(one["recipient"], one["contact"]["name"]) for one in waiting]
note = longcode.conversations.add_note(CAMPAIGN, guest, {"body": "Called"})["note"]["id"]
seen["notes"] = [one["body"] for one in longcode.conversations.notes(CAMPAIGN, guest)]
longcode.conversations.delete_note(CAMPAIGN, guest, note)
longcode.conversations.update(CAMPAIGN, guest, {"status": "CLOSED", "assignee": "ana"})
state = longcode.conversations.get(CAMPAIGN, guest)["conversation"]
seen["conversation"] = [state["status"], state["assignee"]]
seen["open"] = longcode.conversations.counts()["counts"]["open"]
seen["contacts"] = [one["name"] for one in longcode.contacts.list({"numbers": guest})]
seen["contact"] = longcode.contacts.get(guest)["contact"]["fields"]
longcode.contacts.delete(guest)

# Exports and alerts.
export = longcode.exports.create({"filter": {"text": "order"}})["export"]["id"]
while longcode.exports.get(export)["export"]["status"] != "DONE":
    time.sleep(0.1)
seen["exported"] = longcode.exports.download(export).split(",")[-3]
seen["exports"] = len(longcode.exports.list()["exports"])
longcode.exports.delete(export)
seen["exportGone"] = code_of(lambda: longcode.exports.download(export))
longcode.alerts.update_settings({"mutedKinds": ["error_spike"]})
seen["alerts"] = [len(list(longcode.alerts.list())), longcode.alerts.settings()["settings"]["mutedKinds"]]

reply = longcode.saved_replies.create({"name": "Hi", "body": "Hi {{name}}"})["savedReply"]["id"]
longcode.saved_replies.update(reply, {"name": "Hello"})
seen["savedReplies"] = [one["name"] for one in longcode.saved_replies.list()["savedReplies"]]
seen["savedReplyDeleted"] = longcode.saved_replies.delete(reply)["success"]

# A server that misbehaves.
waits = []
bad = Longcode(token="lc_test", base_url=os.environ["BAD_URL"], wait=waits.append)
seen["retried"] = bad.messages.send(body)["id"]
seen["retryAfter"] = waits[2]
seen["lost"] = code_of(lambda: bad.account.get(retries=1))
seen["late"] = code_of(lambda: bad.account.get(retries=0, timeout=0.05))

seen["streamRefused"] = code_of(
    lambda: next(Longcode(token="lc_x", base_url=os.environ["LONGCODE_URL"]).events.stream())
)

print(json.dumps(seen))
