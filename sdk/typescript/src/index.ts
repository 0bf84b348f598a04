// @longcode/client: a client of the Longcode API for Node, Deno, Bun, browsers, and edge platforms.

export { Longcode } from './client.js'
export { type ClientCode, type ErrorCode, type ErrorFields, LongcodeError } from './error.js'
export type { StreamEvent, StreamedChange, StreamResumed } from './events.js'
export type { List } from './list.js'
export type { LongcodeOptions, RequestOptions } from './transport.js'
export type * from './types.js'
export {
  type ReplayStore,
  type WebhookHeaders,
  WebhookVerifier,
  type WebhookVerifierOptions,
} from './webhook-verifier.js'
