// SIPp scenarios as XML: callers that check the response to each of their requests, and a callee that
// answers a call and takes it to its end.

/** One request and the expected response. */
export interface Step {
  /** Default: INVITE. */
  method?: string
  uri: string
  /** Additional header lines. */
  headers?: readonly string[]
  status: number
  /** POSIX regular expressions for headers of the response. */
  expect?: Expected
}

type Expected = Readonly<Record<string, string>>

/** Resends after 500 ms, then after twice the time, and so on. */
const REPEATED = ' retrans="500"'
const CONTACT = 'Contact: <sip:sipp@[local_ip]:[local_port];transport=[transport]>'
const TRYING = '<recv response="100" optional="true"></recv>'
const CALL = ['Call-ID: [call_id]', 'Max-Forwards: 70']

/** Sends the requests one after another. Acknowledges the response to an INVITE. */
export function caller(steps: readonly Step[]): string {
  return scenario(
    steps.flatMap(({ method = 'INVITE', uri, headers = [], status, expect = {} }) => [
      sendRequest(method, uri, 0, headers),
      receive(status, expect),
      ...(method === 'INVITE' ? [acknowledge(uri, 2)] : []),
    ]),
  )
}

/** Through a proxy, which sends 100 Trying first. */
export function refusedCaller(
  uri: string,
  status: number,
  headers: readonly string[] = [],
): string {
  return scenario([
    sendRequest('INVITE', uri, 0, headers),
    TRYING,
    receive(status),
    acknowledge(uri, 3),
  ])
}

/** Cancels immediately: CANCEL is sent before an answer to the INVITE, which is sent once. */
export function cancelingCaller(uri: string): string {
  return scenario([
    sendRequest('INVITE', uri).replace(REPEATED, ''),
    sendRequest('CANCEL', uri, 1),
    receive(302),
    receive(200, { CSeq: 'CANCEL' }),
    acknowledge(uri, 4),
  ])
}

/** Is redirected, or told that there are too many calls and when to retry. */
export function shedCaller(uri: string): string {
  return scenario([
    sendRequest('INVITE', uri),
    '<recv response="302" optional="true" next="1"></recv>',
    receive(503, { 'Retry-After': '^ *[1-9][0-9]*$' }),
    '<label id="1"/>',
    acknowledge(uri, 3),
  ])
}

/** A complete call: answered, then hung up. */
export function talkingCaller(uri: string, headers: readonly string[] = []): string {
  return scenario([
    sendRequest('INVITE', uri, 0, [CONTACT, ...headers]),
    TRYING,
    '<recv response="180" optional="true"></recv>',
    '<recv response="200" rrs="true"></recv>',
    sendRequest('ACK', '[next_url]', 0, ['[routes]'], `To: <${uri}>[peer_tag_param]`),
    sendRequest('BYE', '[next_url]', 0, ['[routes]'], `To: <${uri}>[peer_tag_param]`),
    receive(200),
  ])
}

/** Answers calls that match, and waits for the caller to hang up. */
export function callee(expect: Expected): string {
  const copied = ['[last_Via:]', '[last_From:]', '[last_Call-ID:]', '[last_CSeq:]']
  const to = '[last_To:];tag=[pid]-[call_number]'
  const ringing = [...copied, to, '[last_Record-Route:]', CONTACT]
  return scenario([
    `<recv request="INVITE">${checks(expect)}</recv>`,
    send(['SIP/2.0 180 Ringing', ...ringing], ''),
    send(['SIP/2.0 200 OK', ...ringing]),
    '<recv request="ACK"></recv>',
    '<recv request="BYE"></recv>',
    send(['SIP/2.0 200 OK', ...copied, '[last_To:]'], ''),
  ])
}

/** The same, but challenges callers without a password. */
export function strictCallee(realm: string, nonce: string): string {
  const copied = ['[last_Via:]', '[last_From:]', '[last_Call-ID:]', '[last_CSeq:]']
  const to = '[last_To:];tag=[pid]-[call_number]'
  const challenge = `Proxy-Authenticate: Digest realm="${realm}", nonce="${nonce}", algorithm=MD5`
  const ringing = [...copied, to, '[last_Record-Route:]', CONTACT]
  return scenario([
    '<recv request="INVITE"></recv>',
    send(['SIP/2.0 407 Proxy Authentication Required', ...copied, to, challenge]),
    '<recv request="ACK"></recv>',
    `<recv request="INVITE">${checks({ 'Proxy-Authorization': 'Digest' })}</recv>`,
    send(['SIP/2.0 200 OK', ...ringing]),
    '<recv request="ACK"></recv>',
    '<recv request="BYE"></recv>',
    send(['SIP/2.0 200 OK', ...copied, '[last_To:]'], ''),
  ])
}

/** In the transaction of the message this many places earlier. 0 starts a new transaction. */
function sendRequest(
  method: string,
  uri: string,
  back = 0,
  headers: readonly string[] = [],
  to = `To: <${uri}>`,
): string {
  const branch = back === 0 ? '[branch]' : `[branch-${back}]`
  const own = new Set(headers.map((line) => line.split(':')[0]))
  const lines = [
    `${method} ${uri} SIP/2.0`,
    `Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=${branch};rport`,
    'From: <sip:+12125550100@[local_ip]:[local_port]>;tag=[pid]-[call_number]',
    to,
    ...CALL.filter((line) => !own.has(line.split(':')[0])),
    `CSeq: [cseq] ${method}`,
    ...headers,
  ]
  return method === 'ACK' ? send(lines, '') : send(lines)
}

function acknowledge(uri: string, back: number): string {
  return sendRequest('ACK', uri, back, [], `To: <${uri}>[peer_tag_param]`)
}

/** Resent until there is a response, unless `repeated` is empty. */
function send(lines: readonly string[], repeated = REPEATED): string {
  const message = [...lines, 'Content-Length: 0'].join('\n')
  return `<send${repeated}><![CDATA[\n\n${message}\n\n]]></send>`
}

function receive(status: number, expect: Expected = {}): string {
  return `<recv response="${status}">${checks(expect)}</recv>`
}

/** `Request-URI` is the whole first line. */
function checks(expect: Expected): string {
  const all = Object.entries(expect).map(([name, pattern]) => {
    const where = name === 'Request-URI' ? 'search_in="msg"' : `search_in="hdr" header="${name}:"`
    return `<ereg regexp="${escaped(pattern)}" ${where} check_it="true" assign_to="checked"/>`
  })
  return all.length === 0 ? '' : `<action>${all.join('')}</action>`
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function scenario(pieces: readonly string[]): string {
  const body = pieces.join('\n')
  // SIPp refuses variables that nobody reads.
  const read = body.includes('"checked"') ? '<Reference variables="checked"/>' : ''
  return `<?xml version="1.0" encoding="ISO-8859-1"?>\n<scenario name="longcode">\n${body}\n${read}\n</scenario>\n`
}
