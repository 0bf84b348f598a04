"""What an app written for Twilio does, with the python3-twilio package of the system. python-package.test.ts runs it
and checks what it prints."""

import datetime
import http.server
import json
import os
import queue
import threading
import time
import urllib.parse
import urllib.request

from twilio.base.exceptions import TwilioRestException
from twilio.request_validator import RequestValidator
from twilio.rest import Client
from twilio.twiml.messaging_response import MessagingResponse

BASE, NUMBER, PHONE = os.environ["BASE"], os.environ["NUMBER"], "+14155550107"
SID, TOKEN = os.environ["ACCOUNT_SID"], os.environ["AUTH_TOKEN"]
NOW = datetime.datetime.fromisoformat(os.environ["NOW"])
seen = {}


def connect(base, sid, token):
    client = Client(sid, token)
    client.api.base_url = base
    return client


def code_of(work):
    try:
        work()
    except TwilioRestException as error:
        return [error.code, error.status]
    return None


posts = queue.Queue()


class App(http.server.BaseHTTPRequestHandler):
    """Answers an inbound message with TwiML, and records every form."""

    def do_POST(self):
        text = self.rfile.read(int(self.headers["content-length"])).decode()
        form = dict(urllib.parse.parse_qsl(text, keep_blank_values=True))
        posts.put((self.path, form, self.headers["x-twilio-signature"]))
        answer = MessagingResponse()
        if self.path == "/sms":
            reply = answer.message(f"You wrote: {form['Body']}")
            reply.media("https://files.test/menu.png")
        self.send_response(200)
        self.send_header("content-type", "text/xml")
        self.end_headers()
        self.wfile.write(str(answer).encode())

    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "image/png")
        self.end_headers()
        self.wfile.write(bytes.fromhex("89504e470d0a1a0a0000000d49484452"))

    def log_message(self, *_):
        pass


app = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
threading.Thread(target=app.serve_forever, daemon=True).start()
APP = f"http://127.0.0.1:{app.server_port}"
validator = RequestValidator(TOKEN)


def next_post(path):
    """The next request, which must be for this path. Its signature is checked, and that another one is refused."""
    seen_path, form, signature = posts.get(timeout=120)
    assert seen_path == path, (seen_path, form)
    assert validator.validate(APP + path, form, signature), form
    assert not validator.validate(APP + path, {**form, "Body": "another"}, signature)
    return form


def inbound(body):
    request = urllib.request.Request(
        f"{BASE}/sandbox/inbound",
        data=json.dumps({"from": PHONE, "to": NUMBER, "body": body}).encode(),
        headers={"authorization": f"Bearer {TOKEN}", "content-type": "application/json"},
    )
    urllib.request.urlopen(request).close()


client = connect(BASE, SID, TOKEN)

# Send, status callbacks, fetch, redact, and delete.
sent = client.messages.create(to=PHONE, from_=NUMBER, body="Hi 1", status_callback=f"{APP}/status")
seen["sent"] = [sent.status, sent.direction, sent.num_segments, sent.body, sent.account_sid == SID]
callbacks = [next_post("/status") for _ in range(2)]
seen["callbacks"] = [form["MessageStatus"] for form in callbacks]
seen["isSameSid"] = all(form["MessageSid"] == sent.sid for form in callbacks)
fetched = client.messages(sent.sid).fetch()
seen["fetched"] = [fetched.status, fetched.error_code, fetched.date_sent is not None]
seen["redacted"] = client.messages(sent.sid).update(body="").body
seen["deleted"] = client.messages(sent.sid).delete()
seen["afterwards"] = code_of(client.messages(sent.sid).fetch)

# A list over three pages, and back.
for i in range(5):
    client.messages.create(to=PHONE, from_=NUMBER, body=f"List {i}")
seen["listed"] = [one.body for one in client.messages.list(to=PHONE, page_size=2)]
page = client.messages.page(to=PHONE, page_size=2)
sizes = [len(list(page))]
while page.next_page_url:
    page = page.next_page()
    sizes.append(len(list(page)))
seen["pages"] = sizes
while page.previous_page_url:
    page = page.previous_page()
    sizes.append(len(list(page)))

# Cancel.
later = client.messages.create(
    to=PHONE,
    messaging_service_sid=os.environ["SERVICE_SID"],
    body="Later",
    send_at=NOW + datetime.timedelta(hours=1),
    schedule_type="fixed",
)
canceled = client.messages(later.sid).update(status="canceled")
seen["canceled"] = [later.status, canceled.status]

# Media.
picture = client.messages.create(to=PHONE, from_=NUMBER, body="Look", media_url=[f"{APP}/1.png"])
[media] = client.messages(picture.sid).media.list()
seen["media"] = [picture.num_media, media.sid[:2], media.parent_sid == picture.sid]

# Inbound, answered with TwiML.
[number] = client.incoming_phone_numbers.list(phone_number=NUMBER)
seen["smsUrl"] = number.update(sms_url=f"{APP}/sms").sms_url == f"{APP}/sms"
inbound("Are you open?")
form = next_post("/sms")
seen["inbound"] = [form["From"] == PHONE, form["To"] == NUMBER, form["Body"], form["NumMedia"]]
replies = []
while not replies:
    time.sleep(0.05)
    listed = client.messages.list(to=PHONE, limit=5)
    replies = [message for message in listed if message.direction == "outbound-reply"]
seen["reply"] = [replies[0].body, replies[0].num_media]

# Refusals.
seen["unknownNumber"] = code_of(lambda: client.messages.create(to="+1415", from_=NUMBER, body="x"))
seen["notOwn"] = code_of(lambda: client.messages.create(to=PHONE, from_="+14159999999", body="x"))
seen["unknownMessage"] = code_of(client.messages("SM" + "0" * 32).fetch)
seen["wrongToken"] = code_of(connect(BASE, SID, "0" * 32).messages(sent.sid).fetch)
inbound("STOP")
seen["optOutType"] = next_post("/sms")["OptOutType"]
seen["optedOut"] = code_of(lambda: client.messages.create(to=PHONE, from_=NUMBER, body="x"))
poor = connect(os.environ["POOR_BASE"], os.environ["POOR_SID"], os.environ["POOR_TOKEN"])
seen["noBalance"] = None
for _ in range(20):
    seen["noBalance"] = seen["noBalance"] or code_of(
        lambda: poor.messages.create(to=PHONE, from_=os.environ["POOR_NUMBER"], body="x" * 1500)
    )

print(json.dumps(seen))
