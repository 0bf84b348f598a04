// File types by their bytes, whatever their names, and what the service reports about wrong declarations.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  declaredType,
  extensionOf,
  identifyType,
  sendableType as sendableAs,
} from './identify-type.js'

const sendableType = (content: Buffer, declared: string) =>
  sendableAs(content, declared, { convertsHeic: false })

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const iso = (brand: string) => latin1(`\0\0\0\x18ftyp${brand}\0\0\0\0`)
const bitmap = Buffer.alloc(54)
bitmap.write('BM')
bitmap.writeUInt32LE(40, 14)

const SAMPLES: readonly (readonly [string, Buffer])[] = [
  ['image/jpeg', latin1('\xff\xd8\xff\xe0')],
  ['image/png', latin1('\x89PNG\r\n\x1a\n')],
  ['image/gif', latin1('GIF89a')],
  ['image/gif', latin1('GIF87a')],
  ['image/bmp', bitmap],
  ['image/tiff', latin1('II*\0')],
  ['image/tiff', latin1('MM\0*')],
  ['image/webp', latin1('RIFF\0\0\0\0WEBP')],
  ['image/heic', iso('heic')],
  ['image/avif', iso('avif')],
  ['video/mp4', iso('isom')],
  ['video/3gpp', iso('3gp4')],
  ['video/quicktime', iso('qt  ')],
  ['video/h264', latin1('\0\0\0\x01\x67')],
  ['video/webm', latin1('\x1aE\xdf\xa3')],
  ['audio/mp4', iso('M4A ')],
  ['audio/mpeg', latin1('ID3\x03')],
  ['audio/mpeg', latin1('\xff\xfb\x90\x00')],
  ['audio/amr', latin1('#!AMR\n')],
  ['audio/ogg', latin1('OggS\0')],
  ['audio/wav', latin1('RIFF\0\0\0\0WAVE')],
  ['application/pdf', latin1('%PDF-1.7')],
  ['application/rtf', latin1('{\\rtf1')],
  ['application/zip', latin1('PK\x03\x04')],
  ['application/x-executable', latin1('MZ\x90\0')],
  ['text/plain', latin1('MZ is how it begins')],
  ['text/plain', Buffer.from('Grüße, <3 and 3 < 4\r\n')],
  ['text/plain', latin1('\xff\xfeH\0i\0')],
  ['text/plain', latin1('\b\t\n\v\f\r\x1b ~\x80\xff')],
  ['text/vcard', latin1('BEGIN:VCARD\nVERSION:3.0')],
  ['text/calendar', Buffer.from('\ufeffBEGIN:VCALENDAR\n')],
  ['text/html', latin1('  <!DOCTYPE html><p>')],
  ['text/html', latin1('<script>alert(1)</script>')],
  ['image/svg+xml', latin1('<?xml version="1.0"?>\n<svg xmlns="x">')],
  ['text/xml', latin1('<?xml version="1.0"?>\n<a/>')],
  ['application/octet-stream', Buffer.alloc(0)],
  ['application/octet-stream', Buffer.from([1, 2, 3])],
  ...['\x07', '\x0e', '\x1a', '\x1c', '\x1f', '\x7f'].map(
    (control) => ['application/octet-stream', latin1(`Text${control}`)] as const,
  ),
]

test('a file has the type of its bytes', () => {
  for (const [type, content] of SAMPLES)
    assert.equal(identifyType(content), type, content.toString('latin1'))
})

test('every type has a file extension for URLs', () => {
  const endings = SAMPLES.map(([type]) => extensionOf(type))
  assert.ok(
    endings.every((ending) => /^\w{2,4}$/.test(ending)),
    endings.join(),
  )
  assert.equal(extensionOf('image/jpeg'), 'jpg')
  assert.equal(extensionOf('application/x-executable'), 'bin')
})

test('a declared type may name another type of its family, and nothing else', () => {
  const png = latin1('\x89PNG\r\n\x1a\n')
  for (const declared of [
    'image/png',
    'image/jpg',
    'image/svg+xml',
    '',
    'application/octet-stream',
    'x',
  ]) {
    assert.deepEqual(sendableType(png, declared), { type: 'image/png' }, declared)
  }
  for (const declared of ['text/html', 'video/mp4', 'application/pdf']) {
    assert.deepEqual(sendableType(png, declared), {
      problem: `The media is declared as ${declared}, but its content is image/png`,
    })
  }
  assert.deepEqual(sendableType(latin1('MZ\x90\0'), 'image/png'), {
    problem: 'The media is declared as image/png, but its content is application/x-executable',
  })
  assert.deepEqual(sendableType(Buffer.from([1]), 'image/png'), {
    problem: 'The media is declared as image/png, but its content is an unknown type',
  })
  assert.deepEqual(sendableType(Buffer.from([1]), ''), {
    problem: 'The media type unknown cannot be sent',
  })
  assert.deepEqual(sendableType(iso('heic'), 'image/jpeg'), {
    problem: 'HEIC pictures are not supported. Send JPEG or PNG',
  })
  assert.deepEqual(sendableAs(iso('heic'), 'image/heic', { convertsHeic: true }), {
    type: 'image/heic',
  })
  assert.deepEqual(sendableType(latin1('<html>'), 'text/plain'), {
    problem: 'The media type text/html cannot be sent',
  })
})

test('the declared type counts only where bytes cannot decide', () => {
  const csv = latin1('a,b\n1,2\n')
  assert.deepEqual(sendableType(csv, 'text/csv'), { type: 'text/csv' })
  assert.deepEqual(sendableType(csv, 'text/vcard'), { type: 'text/plain' })
  assert.deepEqual(sendableType(iso('3gp4'), 'audio/3gpp'), { type: 'audio/3gpp' })
  assert.deepEqual(sendableType(iso('mp42'), 'audio/mp4'), { type: 'audio/mp4' })
  assert.deepEqual(sendableType(iso('mp42'), 'audio/ogg'), { type: 'video/mp4' })
  assert.equal(declaredType(' Text/CSV ; charset=utf-8'), 'text/csv')
  assert.equal(declaredType(undefined), '')
  assert.equal(declaredType('x'.repeat(200)).length, 100)
})
