// The subset of XML that Bandwidth's dashboard uses: elements with text, and no attributes that matter. Whatever
// the input, a value is either a text or missing.

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
}

/** The texts of all elements with that name, at any depth. */
export function textsOf(xml: string, name: string): string[] {
  const found: string[] = []
  for (let start = afterTag(xml, name, 0); start >= 0; start = afterTag(xml, name, start)) {
    const end = xml.indexOf('<', start)
    if (end < 0) break
    if (xml.startsWith(`</${name}>`, end)) found.push(plainText(xml.slice(start, end).trim()))
  }
  return found
}

export function textOf(xml: string, name: string): string | null {
  return textsOf(xml, name)[0] || null
}

/** The content of each element with that name. Elements of one name are not nested. */
export function insidesOf(xml: string, name: string): string[] {
  const found: string[] = []
  for (let start = afterTag(xml, name, 0); start >= 0; ) {
    const end = xml.indexOf(`</${name}>`, start)
    if (end < 0) break
    found.push(xml.slice(start, end))
    start = afterTag(xml, name, end)
  }
  return found
}

/** The end of the next opening tag with that name, or -1. Reads each character once, whatever the input. */
function afterTag(xml: string, name: string, from: number): number {
  for (let at = xml.indexOf(`<${name}`, from); at >= 0; at = xml.indexOf(`<${name}`, at + 1)) {
    const next = xml[at + 1 + name.length] ?? ''
    if (next === '>' || /\s/.test(next)) return xml.indexOf('>', at) + 1 || -1
  }
  return -1
}

/** Nested elements from nested objects, in order. */
export function writeXml(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, value]) => {
      const inside =
        typeof value === 'object' && value !== null
          ? writeXml(value as Record<string, unknown>)
          : String(value).replaceAll(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`)
      return `<${name}>${inside}</${name}>`
    })
    .join('')
}

function plainText(text: string): string {
  return text.replaceAll(/&(?:lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity]!)
}
