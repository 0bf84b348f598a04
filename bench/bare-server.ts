// The baseline: a bare Fastify route with the schema of POST /v1/message/send that writes nothing.

import Fastify from 'fastify'
import { SEND } from '../src/messages/message-operations.js'

const { body } = SEND.schema as { body: object }
const bare = Fastify({ ajv: { customOptions: { strict: false } } })
bare.post('/v1/message/send', { schema: { body } }, async () => ({
  success: true,
  id: 'msg_01km3v9w8m0000pqv3t5x7z9bd',
}))
await bare.listen({ port: Number(process.argv[2] ?? 0), host: '127.0.0.1' })
const address = bare.server.address()
process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
process.on('disconnect', () => process.exit(0))
