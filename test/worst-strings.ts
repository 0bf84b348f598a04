// Texts that slow down a careless parser: long runs, nesting, unclosed quotes, and endless separators. Each has any
// length, so a test can compare the cost of one, two, and four times the length.

/** A text of about `length` characters. */
export type Worst = (length: number) => string

const fill =
  (prefix: string, unit: string, suffix = ''): Worst =>
  (length) =>
    prefix +
    unit.repeat(Math.max(0, Math.floor((length - prefix.length - suffix.length) / unit.length))) +
    suffix

/** Harmless for every parser, whatever it reads. */
export const COMMON: readonly Worst[] = [
  fill('', 'a'),
  fill('', '0', 'x'),
  fill('', ' ', 'x'),
  fill('x', ' '),
  fill('', '\t ', 'x'),
  fill('', '/', 'x'),
  fill('', '/a/.'),
  fill('', '"'),
  fill('"', '\\"'),
  fill('"', '\\'),
  fill('', '('),
  fill('', '[', ']'),
  fill('', '<'),
  fill('', '${'),
  fill('', '%', '%0'),
  fill('', ';a=b'),
  fill('', ',;= '),
  fill('', '\r\n'),
  fill('', '\n', 'x'),
  fill('', '-', '.'),
  fill('', 'a@'),
  fill('', 'a.'),
  fill('', ':1'),
  fill('', '&=', '&'),
  fill('', 'é'),
  fill('', '😀'),
  fill('', '\u0000'),
]

export const JSON_TEXTS: readonly Worst[] = [
  fill('', '['),
  fill('', '{"a":'),
  fill('[', '"\\u0000",', '1]'),
  fill('{"a":"', '\\\\', '"}'),
  fill('{"', 'a', '":1}'),
  fill('{"a":', '1', '}'),
  fill('[', '1,', '1]'),
  (length) =>
    `{${Array.from({ length: Math.floor(length / 12) }, (_, i) => `"k${i}":"${i}"`).join(',')}}`,
]

export const REQUEST_HEADS: readonly Worst[] = [
  fill('GET /', 'a'),
  fill('GET /', 'a?'),
  fill('GET /?', 'a', ' HTTP/1.1\r\n'),
  fill('GET ', ' ', 'HTTP/1.1\r\n'),
  fill('', 'A', ' / HTTP/1.1\r\n'),
  fill('', 'GET / HTTP/1.1\r'),
]

export const SIP_MESSAGES: readonly Worst[] = [
  fill('INVITE sip:', 'a', '@b SIP/2.0\r\n\r\n'),
  fill('INVITE sip:a SIP/2.0\r\nVia: SIP/2.0/UDP ', ' ', '\r\n\r\n'),
  fill('INVITE sip:a SIP/2.0\r\nVia: SIP/2.0/UDP a', ';a=b', '\r\n\r\n'),
  fill('INVITE sip:a SIP/2.0\r\nVia: SIP/2.0/UDP a', ',SIP/2.0/UDP a', '\r\n\r\n'),
  fill('INVITE sip:a SIP/2.0\r\nVia: SIP/2.0/UDP a\r\nFrom: ', '"\\"', '\r\n\r\n'),
  fill('INVITE sip:a SIP/2.0\r\nVia: SIP/2.0/UDP a\r\nTo: ', '<', '\r\n\r\n'),
  fill('INVITE sip:a SIP/2.0\r\n', 'a:\r\n b\r\n', '\r\n'),
  fill('INVITE sip:a SIP/2.0\r\n', 'Via: SIP/2.0/UDP a\r\n', '\r\n'),
  fill('INVITE sip:a SIP/2.0\r\nCSeq: ', '1', ' INVITE\r\n\r\n'),
]

export const SETTINGS: readonly Worst[] = [
  fill('links:\n', '  - name: a\n'),
  fill('a: "', '\\x', '"'),
  fill('a: ', '${A', '}'),
  fill('a: ', '&a *a '),
  fill('', '? '),
  fill('', '- '),
  fill('a: |\n', ' x\n'),
  fill('a: [', '{b: c}, ', ']'),
]

export const NUMBER_FILES: readonly Worst[] = [
  fill('number,monthlyPrice\n', '+14152004000,1.00\n'),
  fill('number,monthlyPrice\n', '"'),
  fill('number,monthlyPrice\n', '""'),
  fill('number,monthlyPrice\n"', 'a'),
  fill('number,monthlyPrice\n', '"a\n'),
  fill('number,monthlyPrice\n', ','),
  fill('number,monthlyPrice\n', 'a"'),
  fill('', 'number,'),
]

export const XML: readonly Worst[] = [
  fill('', '<Error>'),
  fill('', '<Error '),
  fill('', '<Error>a<Error>', '</Error>'),
  fill('<Error>', 'a'),
  fill('', '</Error>'),
  fill('<Error>', '&amp', '</Error>'),
]

/** Attacks that recheck found against the patterns for messages from phones. */
export const PHONE_TEXTS: readonly Worst[] = [
  fill('dont want to be on of ', 'the ', '\0'),
  fill('dont bother me about s', 'ni', '\n'),
  fill('', 'quit getting at ', 'x'),
  fill('dont send me', ' anymore', 'ourn'),
  fill('', 'no texts to ', 'x'),
  fill('get me off ', 'the ', '\0'),
  fill('drop me off of ', 'the ', '\0'),
  fill('no mandes', ' mas', 'x'),
  fill('m', 'were ', 'y'),
  fill('', 'no se quien so', 't'),
  fill('', 'no longer ', 'x'),
  fill('', 'stop stop, '),
  fill('', 's.t.o.p '),
  fill('', 'st op '),
]

export const RECEIPT_TEXTS: readonly Worst[] = [
  fill('', 'id:'),
  fill('id', ' ', 'x'),
  fill('', 'stat '),
  fill('', 'submit date '),
  fill('', 'done date:0'),
]
