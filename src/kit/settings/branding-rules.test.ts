// Which colors, logos, and support addresses a reseller can have.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBranding } from './branding-config.js'
import {
  CONTRAST_MIN,
  contrast,
  isColor,
  isSupportAddress,
  LOGO_BYTES_MAX,
  readLogo,
  textOn,
} from './branding-rules.js'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('text in black or white is readable on every color', () => {
  for (let i = 0; i < 4096; i += 1) {
    const color = `#${[...i.toString(16).padStart(3, '0')].map((digit) => digit + digit).join('')}`
    assert.ok(contrast(color, textOn(color)) >= CONTRAST_MIN, color)
  }
  assert.equal(textOn('#006972'), '#ffffff')
  assert.equal(textOn('#ffee00'), '#000000')
  assert.equal(Math.round(contrast('#000000', '#ffffff')), 21)
})

test('a color has six hexadecimal digits', () => {
  assert.equal(isColor('#00A9f2'), true)
  for (const text of ['red', '#fff', '#12345g', '#1234567', 'url(x)', '']) {
    assert.equal(isColor(text), false, text)
  }
})

test('a support address is an email address or an https URL', () => {
  for (const text of ['help@kite.example', 'https://kite.example/help']) {
    assert.equal(isSupportAddress(text), true, text)
  }
  const bad = ['javascript:alert(1)', 'http://kite.example', 'help', 'a@b', 'a b@c.example', '@c.d']
  for (const text of [...bad, 'https://', 'x@y.z"onload=', `a@${'b'.repeat(200)}.c`]) {
    assert.equal(isSupportAddress(text), false, text)
  }
})

test('a logo is a complete PNG, JPEG, or WebP image of limited size', () => {
  assert.equal(readLogo(PNG)?.type, 'image/png')
  const jpeg = Buffer.from('ffd8ffe000104a46494600ffd9', 'hex')
  assert.equal(readLogo(jpeg)?.type, 'image/jpeg')
  const webp = Buffer.concat([
    Buffer.from('RIFF'),
    Buffer.alloc(4),
    Buffer.from('WEBPVP8 12345678'),
  ])
  webp.writeUInt32LE(webp.length - 8, 4)
  assert.equal(readLogo(webp)?.type, 'image/webp')
  const bad = [
    PNG.subarray(0, -1),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
    Buffer.from('GIF89a'),
    Buffer.concat([PNG, Buffer.from('<script>')]),
    Buffer.concat([PNG.subarray(0, 40), Buffer.alloc(LOGO_BYTES_MAX), PNG.subarray(-8)]),
    Buffer.alloc(0),
  ]
  for (const content of bad) assert.equal(readLogo(content), null)
})

test('a bad setting stops the start with one line', () => {
  assert.deepEqual(readBranding({}), { name: null, color: null, support: null, logo: null })
  assert.equal(readBranding({ LONGCODE_BRAND_COLOR: '#00A9F2' }).color, '#00a9f2')
  const refused = (name: string, value: string, line: RegExp) =>
    assert.throws(() => readBranding({ [name]: value }), line)
  refused('LONGCODE_BRAND_NAME', 'x'.repeat(41), /at most 40 characters/)
  refused('LONGCODE_BRAND_COLOR', 'teal', /must be a color such as #006972, not "teal"/)
  refused('LONGCODE_BRAND_SUPPORT', 'call us', /must be an email address or an https URL/)
  refused('LONGCODE_BRAND_LOGO', '/nowhere.png', /cannot be read/)
  refused('LONGCODE_BRAND_LOGO', 'package.json', /must be a PNG, JPEG, or WebP image/)
})
