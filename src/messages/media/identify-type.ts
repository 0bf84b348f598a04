// Detects a file's type from its first bytes. Names and declared types prove nothing. They only decide which kind
// of text a text is, because bytes cannot show that. Pure.

const UNKNOWN = 'application/octet-stream'

/** What carriers accept. Some of them accept fewer. */
const SENDABLE = new Set([
  'image/jpeg',
  'image/gif',
  'image/png',
  'image/bmp',
  'image/tiff',
  'image/webp',
  'video/mp4',
  'video/3gpp',
  'video/quicktime',
  'video/h264',
  'audio/mpeg',
  'audio/mp4',
  'audio/amr',
  'audio/ogg',
  'audio/wav',
  'audio/3gpp',
  'text/plain',
  'text/vcard',
  'text/calendar',
  'text/csv',
  'application/rtf',
  'application/pdf',
])

type Signature = readonly [type: string, offset: number, bytes: string]

/** In latin1. The first match counts, so longer ones come first. */
const SIGNATURES: readonly Signature[] = [
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/tiff', 0, 'II*\0'],
  ['image/tiff', 0, 'MM\0*'],
  ['image/webp', 8, 'WEBP'],
  ['audio/wav', 8, 'WAVE'],
  ['audio/amr', 0, '#!AMR'],
  ['audio/ogg', 0, 'OggS'],
  ['audio/mpeg', 0, 'ID3'],
  ['video/h264', 0, '\0\0\0\x01\x67'],
  ['video/h264', 0, '\0\0\0\x01\x27'],
  ['video/webm', 0, '\x1aE\xdf\xa3'],
  ['application/pdf', 0, '%PDF-'],
  ['application/rtf', 0, '{\\rtf'],
  ['application/zip', 0, 'PK\x03\x04'],
  ['application/gzip', 0, '\x1f\x8b'],
  ['application/x-executable', 0, '\x7fELF'],
  ['application/x-executable', 0, 'MZ'],
]

/** Brands of ISO media files. Others are MP4. */
const BRANDS: readonly (readonly [RegExp, string])[] = [
  [/^3g[pg2]/, 'video/3gpp'],
  [/^qt {2}/, 'video/quicktime'],
  [/^M4[AB] /, 'audio/mp4'],
  [/^(?:hei|hev|mif1|msf1)/, 'image/heic'],
  [/^avi[fs]/, 'image/avif'],
]

const HEAD_BYTES = 4_096

/** From its bytes alone. Any text without markup is text/plain. */
export function identifyType(content: Buffer): string {
  const head = content.subarray(0, HEAD_BYTES)
  const start = head.toString('latin1', 0, 16)
  const found = SIGNATURES.find(([, offset, bytes]) => start.startsWith(bytes, offset))
  if (found)
    return found[0] !== 'application/x-executable' || !isText(head) ? found[0] : textType(head)
  if (start.startsWith('ftyp', 4)) return brandType(start.slice(8, 12))
  if (isMpegFrame(head)) return 'audio/mpeg'
  if (isBitmap(head)) return 'image/bmp'
  return isText(head) ? textType(head) : UNKNOWN
}

function brandType(brand: string): string {
  return BRANDS.find(([pattern]) => pattern.test(brand))?.[1] ?? 'video/mp4'
}

/** Eleven set bits, then a valid version, layer, and rate. */
function isMpegFrame(head: Buffer): boolean {
  const [first = 0, second = 0, third = 0] = head
  const [version, layer, rate] = [(second >> 3) & 3, (second >> 1) & 3, third >> 4]
  const isLayer = layer === 1 || layer === 2 // III or II: layer I is no longer in use, and looks like UTF-16
  return first === 0xff && second >= 0xe0 && version !== 1 && isLayer && rate !== 15
}

/** BM, and a header with a valid size. */
function isBitmap(head: Buffer): boolean {
  if (head.length < 18 || head.toString('latin1', 0, 2) !== 'BM') return false
  return [12, 40, 52, 56, 64, 108, 124].includes(head.readUInt32LE(14))
}

/** Only bytes that occur in text, or a UTF-16 byte order mark. */
function isText(head: Buffer): boolean {
  if (head.length === 0) return false
  if (/^(?:\xff\xfe|\xfe\xff)/.test(head.toString('latin1', 0, 2))) return true
  return head.every(
    (byte) => (byte >= 0x20 && byte !== 0x7f) || (byte >= 8 && byte <= 13) || byte === 0x1b,
  )
}

function textType(head: Buffer): string {
  const text = head
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
  if (/^BEGIN:VCARD\b/i.test(text)) return 'text/vcard'
  if (/^BEGIN:VCALENDAR\b/i.test(text)) return 'text/calendar'
  if (/^<(?:\?xml|svg|!doctype svg)\b/i.test(text))
    return /<svg\b/i.test(text) ? 'image/svg+xml' : 'text/xml'
  const isPage =
    /^<(?:!doctype html|!--|html|head|body|title|script|style|iframe|table|div|h\d|p|a|br|img|meta|link)\b/i
  return isPage.test(text) || text.startsWith('<!--') ? 'text/html' : 'text/plain'
}

/** Types within one family may be declared for each other. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^image\//, 'picture'],
  [/^(?:audio|video)\//, 'recording'],
  [/^(?:text\/|application\/rtf$)/, 'text'],
  [/^application\/pdf$/, 'pdf'],
]

function familyOf(type: string): string | null {
  return FAMILIES.find(([pattern]) => pattern.test(type))?.[1] ?? null
}

/** The part of a header before its parameters. */
export function declaredType(header = ''): string {
  return header.split(';', 1)[0]!.trim().toLowerCase().slice(0, DECLARED_MAX)
}

/** Longer than any known type. It is quoted in the message's error. */
const DECLARED_MAX = 100

/** Sent only if it can be converted, because phones of other makers do not show it. */
const HEIC = 'image/heic'
const NO_HEIC = 'HEIC pictures are not supported. Send JPEG or PNG'

/** The type that a file may be sent as, or why not, as a sentence for the sender. */
export function sendableType(
  content: Buffer,
  declared: string,
  { convertsHeic }: { convertsHeic: boolean },
): { type: string } | { problem: string } {
  const type = refine(identifyType(content), declared)
  const family = familyOf(declared)
  const isLie = family !== null && family !== familyOf(type)
  const shown = type === UNKNOWN ? 'an unknown type' : type
  if (isLie) {
    return { problem: `The media is declared as ${declared}, but its content is ${shown}` }
  }
  if (SENDABLE.has(type) || (type === HEIC && convertsHeic)) return { type }
  if (type === HEIC) return { problem: NO_HEIC }
  return { problem: `The media type ${type === UNKNOWN ? 'unknown' : type} cannot be sent` }
}

/** Types with the same bytes but different meanings. */
function refine(type: string, declared: string): string {
  if (type === 'text/plain' && declared === 'text/csv') return declared
  if (type === 'video/3gpp' && declared === 'audio/3gpp') return declared
  return type === 'video/mp4' && declared === 'audio/mp4' ? declared : type
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'video/3gpp': '3gp',
  'audio/3gpp': '3gp',
  'video/quicktime': 'mov',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'text/plain': 'txt',
  'text/vcard': 'vcf',
  'text/calendar': 'ics',
}

/** For URLs: some carriers go by the file extension. */
export function extensionOf(type: string): string {
  return EXTENSIONS[type] ?? /\/(\w{1,8})$/.exec(type)?.[1] ?? 'bin'
}
