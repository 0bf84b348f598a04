// Resizes real pictures: large ones, decompression bombs, and files that are not pictures.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { pngOf } from '../../../test/media-server.js'
import { openLog } from '../../kit/log.js'
import { ImageShrinker, type Shrunk } from './shrink-image.js'

const shrinker = () => new ImageShrinker(openLog('silent'))

/** Noise does not compress: a picture with about as many bytes as pixels. */
function noisy(side: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  return sharp({ create: { width: side, height: side, channels: 3, background: '#888', noise } })
    .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '37/1 46/1 30/1' } })
    .jpeg({ quality: 92 })
    .toBuffer()
}

test('a large photo is resized, upright, and has no location data', async () => {
  const photo = await sharp(await noisy(900))
    .keepExif()
    .withMetadata({ orientation: 6 })
    .resize(900, 600, { fit: 'fill' })
    .toBuffer()
  const facts = await shrinker().look(photo)
  assert.deepEqual(facts, { isAnimated: false, hasMetadata: true })
  for (const bytesMax of [100_000, 25_000]) {
    const made = (await shrinker().shrink(async () => photo, bytesMax)) as Shrunk
    assert.ok(made.content.length <= bytesMax, `${made.content.length} of ${bytesMax}`)
    const { format, exif, width, height } = await sharp(made.content).metadata()
    assert.deepEqual([format, exif], ['jpeg', undefined])
    assert.ok(height > width, 'it was stored sideways')
  }
})

test('a small file with more pixels than memory allows is refused without decoding', async () => {
  const bomb = pngOf(60_000, 60_000)
  assert.ok(bomb.length < 1_000)
  const refused = { code: 1391, detail: 'The picture is too large (maximum 50 megapixels)' }
  assert.deepEqual(await shrinker().look(bomb), refused)
  assert.deepEqual(await shrinker().shrink(async () => bomb, 100_000), refused)
})

test('damaged pictures and pictures that cannot get small enough are reported', async () => {
  const damaged = { code: 1392, detail: 'The media cannot be sent: the picture is damaged' }
  assert.deepEqual(await shrinker().look(Buffer.from('89504e470d0a1a0a', 'hex')), damaged)
  const photo = await noisy(400)
  assert.deepEqual(await shrinker().shrink(async () => photo.subarray(0, 2_000), 25_000), damaged)
  assert.equal(((await shrinker().shrink(async () => photo, 200)) as { code: number }).code, 1391)
})

test('without sharp, everything else continues, with one log line', async () => {
  const lines: unknown[] = []
  const log = { ...openLog('silent'), error: (...line: unknown[]) => lines.push(line) }
  const alone = new ImageShrinker(log as never, () => Promise.reject(new Error('no binary\nmore')))
  assert.equal(await alone.look(Buffer.alloc(1)), null)
  assert.deepEqual(await alone.shrink(async () => Buffer.alloc(1), 1), {
    code: 1391,
    detail: 'The media is too large, and this service cannot resize it',
  })
  assert.equal(lines.length, 1)
  assert.match(JSON.stringify(lines), /no binary"/)
})
