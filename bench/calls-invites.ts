// INVITEs for the call benchmark: a minimal one, and a typical one from a carrier with SDP and a signed Identity. Each
// call has its own Call-ID and branch, so none counts as a repetition.

const SERIAL = '0000000000'
const NUMBER = '+14150000000'

const SMALL = [
  `INVITE sip:${NUMBER}@voice.ours.test SIP/2.0`,
  `Via: SIP/2.0/UDP 127.0.0.1:5060;branch=z9hG4bK${SERIAL};rport`,
  'Max-Forwards: 70',
  `From: <sip:+12125550100@trunk.test>;tag=a${SERIAL}`,
  `To: <sip:${NUMBER}@voice.ours.test>`,
  `Call-ID: ${SERIAL}@trunk.test`,
  'CSeq: 1 INVITE',
  'Contact: <sip:+12125550100@127.0.0.1:5060>',
  'Content-Length: 0',
  '\r\n',
].join('\r\n')

const SDP = [
  'v=0',
  'o=- 1794805200 1794805200 IN IP4 192.0.2.10',
  's=-',
  'c=IN IP4 192.0.2.10',
  't=0 0',
  'm=audio 16422 RTP/AVP 0 8 18 101',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:8 PCMA/8000',
  'a=rtpmap:101 telephone-event/8000',
  'a=fmtp:101 0-15',
  'a=ptime:20',
  '',
].join('\r\n')

/** As long as a PASSporT of RFC 8225 with attestation. It is not verified here. */
const IDENTITY = `${'eyJhbGciOiJFUzI1NiIsInBwdCI6InNoYWtlbiJ9'.repeat(11)};info=<https://cert.trunk.test/a.pem>;alg=ES256;ppt=shaken`

const LARGE = [
  `INVITE sip:${NUMBER}@voice.ours.test;user=phone SIP/2.0`,
  'Record-Route: <sip:192.0.2.20;lr;ftag=a>',
  `Via: SIP/2.0/UDP 127.0.0.1:5060;branch=z9hG4bK${SERIAL};rport`,
  'Via: SIP/2.0/UDP 192.0.2.10:5060;received=192.0.2.10;branch=z9hG4bK7f1c2e;rport=5060',
  'Max-Forwards: 67',
  `From: "WIRELESS CALLER" <sip:+12125550100@trunk.test;user=phone>;tag=a${SERIAL}`,
  `To: <sip:${NUMBER}@voice.ours.test;user=phone>`,
  `Call-ID: ${SERIAL}@192.0.2.10`,
  'CSeq: 102 INVITE',
  'Contact: <sip:+12125550100@192.0.2.10:5060>',
  'Allow: INVITE, ACK, CANCEL, OPTIONS, BYE, UPDATE, PRACK, INFO, NOTIFY, REFER',
  'Supported: timer, 100rel, replaces',
  'Session-Expires: 1800',
  'Min-SE: 90',
  'P-Asserted-Identity: "WIRELESS CALLER" <sip:+12125550100@trunk.test;user=phone>',
  `Identity: ${IDENTITY}`,
  'Date: Mon, 16 Nov 2026 05:00:00 GMT',
  'User-Agent: Trunk SBC 9.2',
  'Content-Type: application/sdp',
  `Content-Length: ${SDP.length}`,
  '',
  SDP,
].join('\r\n')

export interface Template {
  bytes: Buffer
  serialsAt: readonly number[]
  numbersAt: readonly number[]
}

export const INVITES = { small: templateOf(SMALL), large: templateOf(LARGE) }
export type InviteKind = keyof typeof INVITES

function templateOf(text: string): Template {
  const bytes = Buffer.from(text, 'latin1')
  return { bytes, serialsAt: placesOf(text, SERIAL), numbersAt: placesOf(text, NUMBER) }
}

function placesOf(text: string, what: string): number[] {
  return [...text.matchAll(new RegExp(what.replace('+', '\\+'), 'g'))].map(({ index }) => index)
}

/** The call with this serial, to one of the given number of phone numbers. */
export function inviteOf(template: Template, serial: number, numbers: number): Buffer {
  const bytes = Buffer.from(template.bytes)
  const text = String(serial).padStart(SERIAL.length, '0')
  const number = numberOf((serial * 7_919) % numbers)
  for (const at of template.serialsAt) bytes.write(text, at, 'latin1')
  for (const at of template.numbersAt) bytes.write(number, at, 'latin1')
  return bytes
}

/** Our numbers and their forwarding targets. The two ranges do not overlap. */
export function numberOf(i: number): string {
  return `+1415${2_000_000 + i}`
}

export function targetOf(i: number): string {
  return `+1628${2_000_000 + i}`
}
