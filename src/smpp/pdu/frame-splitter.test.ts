// Frames from chunks: any split gives the same frames, single bytes take linear time, and an invalid length ends the
// stream with a reason.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FrameSplitter } from './frame-splitter.js'

function frameOf(length: number, fill = 0): Buffer {
  const frame = Buffer.alloc(length, fill)
  frame.writeUInt32BE(length, 0)
  return frame
}

function splitAll(chunks: readonly Buffer[], frameMax?: number) {
  const frames: Buffer[] = []
  const splitter = new FrameSplitter((frame) => frames.push(Buffer.from(frame)), frameMax)
  const problem = chunks.reduce<string | null>((_, chunk) => splitter.push(chunk), null)
  return { frames, problem, isMidFrame: splitter.isMidFrame }
}

test('the frames are the same however the bytes are split', () => {
  const lengths = fc.array(fc.integer({ min: 16, max: 300 }), { minLength: 1, maxLength: 12 })
  const cuts = fc.array(fc.integer({ min: 0, max: 80 }), { maxLength: 60 })
  fc.assert(
    fc.property(lengths, cuts, (lengths, cuts) => {
      const frames = lengths.map((length, i) => frameOf(length, i + 1))
      const all = Buffer.concat(frames)
      const chunks: Buffer[] = []
      let at = 0
      for (const cut of cuts) {
        chunks.push(all.subarray(at, at + cut))
        at += cut
      }
      chunks.push(all.subarray(Math.min(at, all.length)))
      assert.deepEqual(splitAll(chunks), { frames, problem: null, isMidFrame: false })
    }),
    { numRuns: 300 },
  )
})

test('a million single bytes give the same frames', () => {
  let frames = 0
  const splitter = new FrameSplitter((frame) => {
    assert.equal(frame.length, 50_000)
    frames += 1
  })
  const all = frameOf(50_000, 7)
  for (let i = 0; i < 1_000_000; i++) {
    const at = i % all.length
    splitter.push(all.subarray(at, at + 1))
  }
  assert.equal(frames, 20)
  assert.equal(splitter.isMidFrame, false)
})

test('an invalid length ends the stream after the frames before it', () => {
  for (const length of [0, 15, 65_537, 0xffffffff]) {
    const bad = Buffer.alloc(16)
    bad.writeUInt32BE(length, 0)
    const bytes = Buffer.concat([frameOf(16), bad, frameOf(16)])
    const single = Array.from(bytes, (byte) => Buffer.from([byte]))
    for (const chunks of [[bytes], single]) {
      const { frames, problem } = splitAll(chunks)
      assert.equal(frames.length, 1, String(length))
      assert.match(problem!, new RegExp(`of ${length} bytes`))
    }
  }
})

test('the longest allowed frame passes, and the caller sets the limit', () => {
  assert.equal(splitAll([frameOf(65_536)]).frames.length, 1)
  assert.notEqual(splitAll([frameOf(33)], 32).problem, null)
  assert.equal(splitAll([frameOf(32)], 32).problem, null)
})

test('an unfinished frame is reported', () => {
  assert.equal(splitAll([frameOf(20).subarray(0, 2)]).isMidFrame, true)
  assert.equal(splitAll([frameOf(20).subarray(0, 19)]).isMidFrame, true)
  assert.equal(splitAll([]).isMidFrame, false)
})
