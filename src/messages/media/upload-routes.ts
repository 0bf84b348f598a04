// POST /v1/media: a file as the request body, stored for messages that are sent later.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { operation } from '../../kit/contract/operation.js'
import { Refusal } from '../../kit/contract/refusal.js'
import { Noun, Timestamp } from '../../kit/contract/schema.js'
import { wireTime } from '../../kit/contract/wire-time.js'
import { FILE_BYTES_MAX } from '../media.js'
import { declaredType } from './identify-type.js'
import type { Uploads } from './uploads.js'

const UPLOAD = operation({
  id: 'uploadMedia',
  tag: 'Messages',
  summary: 'Upload a file for mediaUrls',
  description:
    'The request body is the file itself, with its `Content-Type`. Put `media.url` into `mediaUrls` of a message. The URL works only for your account and for seven days. Uploading the same file again returns the same `id` and a new expiry. An account can store 1,000 files and 500 MB at a time, and no more than its quota of media.',
  isExtension: true,
  scope: 'send',
  campaignAccess: 'none',
  upload: { bytesMax: FILE_BYTES_MAX },
  reply: Type.Object({
    success: Type.Literal(true),
    media: Noun('UploadedMedia', {
      id: Type.String(),
      url: Type.String(),
      type: Type.String({ description: 'Detected from the content' }),
      bytes: Type.Integer(),
      expiresAt: Timestamp,
    }),
  }),
  example: {
    success: true,
    media: {
      id: 'upl_jKk8Q0mV9uYl7xk0Yw8zS3yFQ7o2m4d6p1r5t9v3x7A',
      url: 'https://longcode.example/media/acc_01km3v9w8m0000pqv3t5x7z9bd/498732/9dQw4w9WgXcQ0aBcDeFgHi/jKk8Q0mV9uYl7xk0Yw8zS3yFQ7o2m4d6p1r5t9v3x7A.0.jpg',
      type: 'image/jpeg',
      bytes: 214_880,
      expiresAt: '2026-11-24T13:00:00.000Z',
    },
  },
  failure: { success: false },
  refuses: ['media_unsendable', 'uploads_full', 'media_full', 'uploads_busy', 'body_too_large'],
})

export const uploadRoutes: FastifyPluginAsyncTypebox<{ uploads: Uploads }> = async (
  app,
  { uploads },
) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, content, done) => {
    done(null, content)
  })

  // Before the body is read, so that memory for it is bounded.
  app.addHook('preParsing', async (request, reply, payload) => {
    const type = declaredType(request.headers['content-type'])
    if (type === 'multipart/form-data') {
      throw new Refusal(
        'media_unsendable',
        'Send the file itself as the request body, with its Content-Type. Forms are not supported',
      )
    }
    reply.raw.once('close', uploads.begin(request.caller.accountId))
    return payload
  })

  app.post('/media', UPLOAD, async ({ caller, headers, body }) => {
    const content = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
    const declared = declaredType(headers['content-type'])
    const { expiresAt, ...media } = await uploads.store(caller.accountId, content, declared)
    return { success: true as const, media: { ...media, expiresAt: wireTime(expiresAt) } }
  })
}
