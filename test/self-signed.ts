// A self-signed certificate for TLS tests, generated on demand.

import { generateKeyPairSync, sign } from 'node:crypto'

/** The smallest possible certificate: version 1, Ed25519, valid from 2020 to 2049, self-signed. */
export function selfSigned(commonName: string): { cert: string; key: string } {
  const der = (tag: number, ...parts: Buffer[]): Buffer => {
    const content = Buffer.concat(parts)
    const size = content.length < 128 ? [content.length] : [0x81, content.length]
    return Buffer.concat([Buffer.from([tag, ...size]), content])
  }
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const algorithm = der(0x30, Buffer.from('06032b6570', 'hex'))
  const named = der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(commonName)))
  const name = der(0x30, der(0x31, named))
  const moment = (text: string) => der(0x17, Buffer.from(text))
  const validity = der(0x30, moment('200101000000Z'), moment('491231000000Z'))
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const signed = der(0x30, der(0x02, Buffer.from([1])), algorithm, name, validity, name, key)
  const bits = der(0x03, Buffer.from([0]), sign(null, signed, privateKey))
  const pem = der(0x30, signed, algorithm, bits).toString('base64')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${pem}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
