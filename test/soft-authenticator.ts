// A passkey device in software: it answers WebAuthn options as a browser with an authenticator does, and can lie about
// everything that the service must check.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const FLAGS = { present: 0x01, verified: 0x04, attested: 0x40 }
const AAGUID = Buffer.alloc(16)

/** What a response claims. */
export interface Claims {
  challenge: string
  origin: string
  rpId: string
  counter?: number
  isVerified?: boolean
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

function clientData(type: string, { challenge, origin }: Claims): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
}

function uint(bytes: 2 | 4, value: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

export class SoftAuthenticator {
  readonly #id = randomBytes(16)
  readonly #privateKey: KeyObject
  readonly #coseKey: Buffer

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x, y } = publicKey.export({ format: 'jwk' })
    this.#privateKey = privateKey
    const point = (text: string | undefined) => new Uint8Array(Buffer.from(text!, 'base64url'))
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, point(x)],
      [-3, point(y)],
    ])
    this.#coseKey = Buffer.from(isoCBOR.encode(key))
  }

  get id(): string {
    return this.#id.toString('base64url')
  }

  /** The response to the options of a new passkey. */
  register(claims: Claims): object {
    const attested = [AAGUID, uint(2, this.#id.length), this.#id, this.#coseKey]
    const authData = Buffer.concat([this.#authData(claims, FLAGS.attested), ...attested])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ])
    const attestationObject = Buffer.from(isoCBOR.encode(attestation as never))
    return this.#response({
      clientDataJSON: clientData('webauthn.create', claims),
      attestationObject,
    })
  }

  /** The response to the options of a sign-in. */
  signIn(claims: Claims): object {
    const authenticatorData = this.#authData(claims, 0)
    const clientDataJSON = clientData('webauthn.get', claims)
    const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)])
    const signature = sign('sha256', signed, this.#privateKey)
    return this.#response({ clientDataJSON, authenticatorData, signature })
  }

  #authData({ rpId, counter = 0, isVerified = true }: Claims, extra: number): Buffer {
    const flags = FLAGS.present | (isVerified ? FLAGS.verified : 0) | extra
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), uint(4, counter)])
  }

  #response(fields: Record<string, Buffer>): object {
    const texts = Object.entries(fields).map(([name, value]) => [name, value.toString('base64url')])
    return { id: this.id, rawId: this.id, type: 'public-key', response: Object.fromEntries(texts) }
  }
}
