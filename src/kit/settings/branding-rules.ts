// What a name, color, logo, and support address of a reseller must be. Pure: for settings, the operator API, and the
// console's page.

import { createHash } from 'node:crypto'

export interface Logo {
  type: 'image/png' | 'image/jpeg' | 'image/webp'
  content: Buffer
  /** Part of its URL, so a new logo is never taken from a cache. */
  hash: string
}

export interface Branding {
  name: string | null
  /** #rrggbb */
  color: string | null
  /** An email address or an https URL. */
  support: string | null
  logo: Logo | null
}

export const BRAND_NAME_MAX = 40
export const SUPPORT_MAX = 200
export const LOGO_BYTES_MAX = 128 * 1024
/** WCAG AA for text. */
export const CONTRAST_MIN = 4.5

export const COLOR_EXPECTS = 'must be a color such as #006972'
export const SUPPORT_EXPECTS = 'must be an email address or an https URL'
export const LOGO_EXPECTS = `must be a PNG, JPEG, or WebP image of at most ${LOGO_BYTES_MAX / 1024} KiB`

export function isColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text)
}

export function isSupportAddress(text: string): boolean {
  if (text.length > SUPPORT_MAX || /[\s<>"'`\\]/.test(text)) return false
  if (text.startsWith('https://')) return URL.canParse(text)
  const [user, host, ...more] = text.split('@')
  return more.length === 0 && Boolean(user) && (host ?? '').includes('.') && !text.includes(':')
}

/** Black or white, whichever is easier to read on the color. One of them always reaches CONTRAST_MIN. */
export function textOn(color: string): '#000000' | '#ffffff' {
  return contrast(color, '#ffffff') >= contrast(color, '#000000') ? '#ffffff' : '#000000'
}

/** The contrast ratio of WCAG 2. */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const channel = (at: number) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

/** Null if it is no complete PNG, JPEG, or WebP image, or too large. SVG is refused: it can contain scripts. */
export function readLogo(content: Buffer): Logo | null {
  const type = content.length <= LOGO_BYTES_MAX ? imageType(content) : null
  if (type === null) return null
  return { type, content, hash: createHash('sha256').update(content).digest('hex').slice(0, 16) }
}

const PNG_START = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const PNG_END = Buffer.from('49454e44ae426082', 'hex')

function imageType(content: Buffer): Logo['type'] | null {
  const startsWith = (bytes: Buffer) => content.subarray(0, bytes.length).equals(bytes)
  const endsWith = (bytes: Buffer) => content.subarray(-bytes.length).equals(bytes)
  if (startsWith(PNG_START) && endsWith(PNG_END)) return 'image/png'
  if (startsWith(Buffer.from('ffd8ff', 'hex')) && endsWith(Buffer.from('ffd9', 'hex'))) {
    return 'image/jpeg'
  }
  const isRiff = content.length > 16 && content.toString('latin1', 0, 4) === 'RIFF'
  const isWebp = isRiff && content.toString('latin1', 8, 12) === 'WEBP'
  return isWebp && content.readUInt32LE(4) + 8 === content.length ? 'image/webp' : null
}
