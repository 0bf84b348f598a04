// Reads TwiML, the XML with which an app answers an inbound message. Strict: no document types and no entities except
// the five of XML, so an answer cannot grow while it is read. Each character is read once. Pure.

export interface TwimlMessage {
  to: string | null
  from: string | null
  statusCallback: string | null
  body: string
  mediaUrls: string[]
}

export interface TwimlRedirect {
  url: string
  method: 'GET' | 'POST'
}

export interface Twiml {
  messages: TwimlMessage[]
  /** Where to continue, after the messages. */
  redirect: TwimlRedirect | null
  /** Verbs that are not supported, in order. */
  ignored: string[]
}

interface XmlElement {
  name: string
  attributes: Map<string, string>
  /** Directly inside, without the texts of inner elements. */
  text: string
  children: XmlElement[]
}

const MESSAGES_MAX = 10
const DEPTH_MAX = 5
const ELEMENTS_MAX = 200

export class TwimlProblem extends Error {}

/** Throws a TwimlProblem. Empty text is an empty answer. */
export function readTwiml(text: string): Twiml {
  const twiml: Twiml = { messages: [], redirect: null, ignored: [] }
  if (text.trim() === '') return twiml
  const root = parseXml(text)
  if (root.name !== 'Response') throw new TwimlProblem('the root element must be <Response>')
  for (const verb of root.children) {
    if (verb.name === 'Redirect') {
      const isGet = verb.attributes.get('method')?.toUpperCase() === 'GET'
      twiml.redirect = { url: verb.text.trim(), method: isGet ? 'GET' : 'POST' }
      break
    }
    if (verb.name === 'Message' || verb.name === 'Sms') twiml.messages.push(messageOf(verb))
    else twiml.ignored.push(verb.name)
  }
  if (twiml.messages.length > MESSAGES_MAX) {
    throw new TwimlProblem(`it has more than ${MESSAGES_MAX} messages`)
  }
  return twiml
}

function messageOf({ attributes, text, children }: XmlElement): TwimlMessage {
  const inner = (name: string) =>
    children.filter((child) => child.name === name).map((child) => child.text.trim())
  return {
    to: attributes.get('to') ?? null,
    from: attributes.get('from') ?? null,
    statusCallback: attributes.get('statusCallback') ?? attributes.get('action') ?? null,
    body: [text.trim(), ...inner('Body')].filter((part) => part !== '').join('\n'),
    mediaUrls: inner('Media'),
  }
}

/** The root element. */
function parseXml(xml: string): XmlElement {
  const top: XmlElement = { name: '', attributes: new Map(), text: '', children: [] }
  const open = [top]
  let elements = 0
  let at = xml.charCodeAt(0) === 0xfeff ? 1 : 0
  while (at < xml.length) {
    const current = open.at(-1)!
    const tag = xml.indexOf('<', at)
    const text = xml.slice(at, tag < 0 ? xml.length : tag)
    current.text += plainText(text)
    if (tag < 0) break
    if (xml.startsWith('<!--', tag)) at = after(xml, '-->', tag + 4)
    else if (xml.startsWith('<?', tag)) at = after(xml, '?>', tag + 2)
    else if (xml.startsWith('<![CDATA[', tag)) {
      at = after(xml, ']]>', tag + 9)
      current.text += xml.slice(tag + 9, at - 3)
    } else if (xml.startsWith('<!', tag)) {
      throw new TwimlProblem('document types are not allowed')
    } else if (xml.startsWith('</', tag)) {
      at = after(xml, '>', tag)
      const name = xml.slice(tag + 2, at - 1).trim()
      if (open.length === 1 || current.name !== name) throw new TwimlProblem('it is not valid XML')
      open.pop()
    } else {
      const end = tagEnd(xml, tag)
      const isClosed = xml[end - 2] === '/'
      const element = readTag(xml.slice(tag + 1, isClosed ? end - 2 : end - 1))
      elements += 1
      if (elements > ELEMENTS_MAX || open.length > DEPTH_MAX)
        throw new TwimlProblem('it is too large')
      current.children.push(element)
      if (!isClosed) open.push(element)
      at = end
    }
  }
  const [root, ...others] = top.children
  if (open.length > 1 || !root || others.length > 0 || top.text.trim() !== '') {
    throw new TwimlProblem('it is not valid XML')
  }
  return root
}

function after(xml: string, end: string, from: number): number {
  const at = xml.indexOf(end, from)
  if (at < 0) throw new TwimlProblem('it is not valid XML')
  return at + end.length
}

/** The end of an opening tag. A quoted value may contain `>`. */
function tagEnd(xml: string, from: number): number {
  let quote = ''
  for (let at = from; at < xml.length; at += 1) {
    const char = xml[at]!
    if (quote !== '') quote = char === quote ? '' : quote
    else if (char === '"' || char === "'") quote = char
    else if (char === '>') return at + 1
  }
  throw new TwimlProblem('it is not valid XML')
}

/** A name and its attributes. */
function readTag(tag: string): XmlElement {
  const name = /^[A-Za-z][\w.-]{0,50}/.exec(tag)?.[0]
  if (name === undefined) throw new TwimlProblem('it is not valid XML')
  const attributes = new Map<string, string>()
  let at = name.length
  while (at < tag.length) {
    if (/\s/.test(tag[at]!)) {
      at += 1
      continue
    }
    const equals = tag.indexOf('=', at)
    const quote = tag[equals + 1] ?? ''
    const end = equals < 0 || !['"', "'"].includes(quote) ? -1 : tag.indexOf(quote, equals + 2)
    if (end < 0) throw new TwimlProblem('it is not valid XML')
    attributes.set(tag.slice(at, equals).trim(), plainText(tag.slice(equals + 2, end)))
    at = end + 1
  }
  return { name, attributes, text: '', children: [] }
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
}
const CODE_POINT_MAX = 0x10ffff

function plainText(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(/&(#x[0-9a-fA-F]{1,6}|#\d{1,7}|\w{1,10})?;?/g, (whole, name?: string) => {
    const known = whole.endsWith(';') && name ? entity(name) : undefined
    if (known === undefined) throw new TwimlProblem('it has an unknown entity')
    return known
  })
}

function entity(name: string): string | undefined {
  if (!name.startsWith('#')) return Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined
  const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code > 0 && code <= CODE_POINT_MAX ? String.fromCodePoint(code).toWellFormed() : undefined
}
