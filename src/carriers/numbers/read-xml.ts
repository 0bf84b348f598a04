// As much of XML as Bandwidth's dashboard speaks: elements with text, without attributes that matter. Whatever comes, a
// value is there as text, or it is not there.

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
}

/** The texts of all elements of that name, wherever they stand. */
export function textsOf(xml: string, name: string): string[] {
  const found = xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([^<]*)</${name}>`, 'g'))
  return [...found].map(([, text]) => plainText(text!.trim()))
}

export function textOf(xml: string, name: string): string | null {
  return textsOf(xml, name)[0] || null
}

/** What stands inside each element of that name; elements of one name are not nested. */
export function insidesOf(xml: string, name: string): string[] {
  const found = xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g'))
  return [...found].map(([, inside]) => inside!)
}

/** Nested elements out of nested objects, in order. */
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
